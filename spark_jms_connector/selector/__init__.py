"""The JMS selector language (JMS 2.0, 3.8.1): reading, writing, evaluating, and Spark predicates as selectors."""
