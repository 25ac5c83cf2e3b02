"""Certificates for tests, made with openssl when they are needed: authorities, brokers, clients, good and bad."""

from __future__ import annotations

import subprocess
from pathlib import Path

PASSWORD = "store-s3cret"


class Authority:
    """A certificate authority in a folder of its own."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        self._folder = folder / name
        self._folder.mkdir(parents=True)
        self._name = name
        self._key, self.certificate = self._folder / "ca.key", self._folder / "ca.pem"
        _openssl(
            *("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", f"/CN={name}"),
            *("-keyout", str(self._key), "-out", str(self.certificate)),
        )

    def trust_store(self) -> str:
        """A store with this authority's certificate alone."""
        path = self._folder / "trust.p12"
        if not path.exists():
            _run(
                *("keytool", "-importcert", "-noprompt", "-alias", "ca", "-file", str(self.certificate)),
                *("-keystore", str(path), "-storetype", "PKCS12", "-storepass", PASSWORD),
            )
        return str(path)

    def key_store(self, name: str, host: str = "IP:127.0.0.1", *, expired: bool = False) -> str:
        """A store with a certificate for a host, and its key."""
        base = self._folder / name
        key, request, certificate = (base.with_suffix(end) for end in (".key", ".csr", ".pem"))
        extensions = base.with_suffix(".ext")
        extensions.write_text(f"subjectAltName={host}\n")
        _openssl(
            *("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}"),
            *("-keyout", str(key), "-out", str(request)),
        )
        _openssl(
            *("x509", "-req", "-in", str(request), "-CA", str(self.certificate), "-CAkey", str(self._key)),
            *("-CAcreateserial", "-days", "-1" if expired else "30", "-extfile", str(extensions)),
            *("-out", str(certificate)),
        )
        store = base.with_suffix(".p12")
        _openssl(
            *("pkcs12", "-export", "-in", str(certificate), "-inkey", str(key), "-certfile", str(self.certificate)),
            *("-out", str(store), "-passout", f"pass:{PASSWORD}"),
        )
        return str(store)


def _openssl(*arguments: str) -> None:
    _run("openssl", *arguments)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + done.stdout
