"""STOMP 1.2 to Artemis, Classic and RabbitMQ, in Python alone: no Java is started or needed."""
