"""What the options say about TLS, as an ``ssl.SSLContext``; key stores are PEM files here."""

from __future__ import annotations

import ssl

from spark_jms_connector.errors import OptionError
from spark_jms_connector.options import SourceOptions


def tls_context(options: SourceOptions) -> ssl.SSLContext:
    """Always verifies the broker's certificate; only the check of its host name can be turned off."""
    context = ssl.create_default_context()
    context.check_hostname = options.verify_host_name
    if options.trust_store is not None:
        context = _trusting(options.trust_store, context)
    if options.key_store is not None:
        _load_own(context, options.key_store, options.key_store_password)
    return context


def _trusting(path: str, default: ssl.SSLContext) -> ssl.SSLContext:
    """Trust the given authorities and no others."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = default.minimum_version
    context.check_hostname = default.check_hostname
    try:
        context.load_verify_locations(cafile=path)
    except (OSError, ssl.SSLError) as error:
        raise OptionError(
            f"Option 'trustStore' names {path}, which cannot be used: {_reason(error)}. Over STOMP it is a PEM file"
            " with the certificates of the authorities to trust."
        ) from None
    return context


def _load_own(context: ssl.SSLContext, path: str, password: str | None) -> None:
    try:
        # A function, so that OpenSSL never asks on the terminal.
        context.load_cert_chain(path, password=lambda: password or "")
    except (OSError, ssl.SSLError, ValueError) as error:
        raise OptionError(
            f"Option 'keyStore' names {path}, which cannot be used: {_reason(error)}. Over STOMP it is a PEM file with"
            " the certificate and its key, which 'keyStorePassword' opens."
        ) from None


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or "it is not PEM, or the password is wrong").replace("_", " ").lower()
    return error.strerror or type(error).__name__ if isinstance(error, OSError) else type(error).__name__
