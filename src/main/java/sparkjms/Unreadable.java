package sparkjms;

/** A message that cannot be written down, and why. */
final class Unreadable extends Exception {
    private static final long serialVersionUID = 1;

    Unreadable(String reason) {
        super(reason);
    }
}
