"""``python -m spark_jms_connector`` is the command line."""

import sys

from spark_jms_connector.cli import main

if __name__ == "__main__":
    sys.exit(main())
