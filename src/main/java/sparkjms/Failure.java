package sparkjms;

/** A failure as Python is told of it: which kind, and in words. */
final class Failure extends Exception {
    private static final long serialVersionUID = 1;

    final String kind;

    Failure(String kind, String message) {
        super(message);
        this.kind = kind;
    }
}
