"""What the helper is told for one connection: factory, urls, bean properties, JNDI, TLS; from options and provider."""

from __future__ import annotations

import os
from collections.abc import Mapping

from spark_jms_connector.errors import OptionError
from spark_jms_connector.options import SourceOptions, spark_name
from spark_jms_connector.providers import PROVIDERS, Provider
from spark_jms_connector.transport.base import Window

Settings = dict[str, str | None]

_STORES = ("trust_store", "key_store")


def provider_of(options: SourceOptions) -> Provider | None:
    """The provider, unless another factory of its library is asked for, about which nothing is known."""
    known = PROVIDERS.get(options.provider or "")
    if known is None or options.jndi or options.connection_factory in (None, known.connection_factory):
        return known
    return None


def connection_settings(options: SourceOptions, prefetch: int | None) -> Settings:
    """How to connect; without user and password."""
    provider = provider_of(options)
    factory = options.connection_factory or (provider and provider.connection_factory)
    if not factory:
        raise OptionError("Option 'provider' is missing, or 'connectionFactory' with 'jars' or 'packages'.")
    settings: Settings = {"factory": factory, "verifyHostName": str(options.verify_host_name).lower()}
    if provider is not None:
        settings["urlProperty"] = provider.url_property
        settings["hostProperty"] = provider.host_property
        settings["portProperty"] = provider.port_property
    settings |= {f"url.{i}": url for i, url in enumerate(_urls(options, provider))}
    settings |= {f"bean.{name}": value for name, value in _beans(options, provider, prefetch).items()}
    settings |= {f"jndi.{name}": value for name, value in options.jndi.items()}
    return settings | _tls(options)


def window(options: SourceOptions, prefetch: int | None) -> Window:
    """How much one session may hold unacknowledged, as far as the provider is known."""
    provider = provider_of(options)
    if provider is None:
        return Window()
    stalls = provider.default_prefetch is not None and prefetch is not None and prefetch > provider.default_prefetch
    messages = provider.default_prefetch // 2 if stalls and provider.default_prefetch else provider.window_messages
    return Window(messages, provider.window_bytes, provider.window_limit)


def _urls(options: SourceOptions, provider: Provider | None) -> list[str]:
    urls = split_urls(options.url or "")
    if provider is None:
        return urls
    for url in urls:
        reason = provider.refusal(url)
        if reason is not None:
            raise OptionError(
                f"Option 'url' cannot be {url.partition(':')[0]}: with provider {provider.name}: {reason}."
            )
    parameter = provider.verify_host_parameter
    if parameter is None or options.verify_host_name:
        return urls  # verified is what every client does by itself
    return [url if parameter in url else f"{url}{'&' if '?' in url else '?'}{parameter}=false" for url in urls]


def _beans(options: SourceOptions, provider: Provider | None, prefetch: int | None) -> Mapping[str, str]:
    beans = dict(options.connection)
    if provider is None:
        _check_host_name_switch(options, None)
        return beans
    fixed = {name.lower(): f"{name}={value}" for name, value in provider.fixed.items()}
    for name in beans:
        if name.lower() in fixed:
            raise OptionError(f"Option 'connection.{name}' cannot be set: the connector needs {fixed[name.lower()]}.")
    given = {name.lower() for name in beans}
    defaults = {name: value for name, value in provider.defaults.items() if name.lower() not in given}
    asked = _prefetch(options, provider, prefetch)
    beans = {name: value for name, value in beans.items() if name.lower() not in {bean.lower() for bean in asked}}
    return {**defaults, **asked, **beans, **_tls_beans(options, provider), **provider.fixed}


def _prefetch(options: SourceOptions, provider: Provider, prefetch: int | None) -> Mapping[str, str]:
    name = provider.prefetch_property
    if name is None:
        return {}
    group = name.partition(".")[0].lower()
    own_word = any(given.lower().startswith(group) for given in options.connection) or f".{group}." in _url(options)
    if prefetch is None and not own_word:
        prefetch = provider.default_prefetch
    return {} if prefetch is None else {name: str(prefetch * provider.bytes_per_prefetched_message)}


def _url(options: SourceOptions) -> str:
    return (options.url or "").lower()


def _tls_beans(options: SourceOptions, provider: Provider) -> Mapping[str, str]:
    stores = {spark_name(name): getattr(options, name) for store in _STORES for name in (store, f"{store}_password")}
    beans = {bean: stores[name] for name, bean in provider.tls_properties.items() if stores[name] is not None}
    _check_host_name_switch(options, provider)
    if not options.verify_host_name and provider.verify_host_property is not None:
        beans[provider.verify_host_property] = "false"
    return beans


def _check_host_name_switch(options: SourceOptions, provider: Provider | None) -> None:
    known = provider is not None and (provider.verify_host_parameter or provider.verify_host_property)
    if not options.verify_host_name and not known:
        raise OptionError(
            "Option 'verifyHostName' cannot be false here: how this client is told so is not known. Use its own setting"
            " in 'url' or 'connection.*'."
        )


def _tls(options: SourceOptions) -> Settings:
    """Java's own settings for TLS; the stores are looked at here, where the error can name the option."""
    settings: Settings = {}
    for name in _STORES:
        path, password = getattr(options, name), getattr(options, f"{name}_password")
        if path is None:
            continue
        if not os.access(path, os.R_OK):
            raise OptionError(f"Option '{spark_name(name)}' names {path}, which cannot be read here.")
        settings[f"tls.{spark_name(name)}"] = path
        settings[f"tls.{spark_name(name)}Password"] = password
    return settings


def split_urls(text: str) -> list[str]:
    """Urls separated by commas; a comma inside parentheses belongs to its url."""
    urls, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            urls.append("")
        else:
            urls[-1] += character
    return [url.strip() for url in urls if url.strip()]
