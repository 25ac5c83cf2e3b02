"""Spark looks for modules of this name and finds ``format("jms")`` by itself."""

from spark_jms_connector.datasource import JmsDataSource


class DefaultSource(JmsDataSource):
    """The source under the name that Spark discovers."""
