# Spack recipe: perfhouse, for a package repository of the site's own (spack repo create; put it into packages/perfhouse/).
from spack.package import *


class Perfhouse(MakefilePackage):
    """Performance data warehouse for parallel programs: an extension of PostgreSQL, a loader of profiles and traces, and a renderer."""

    git = "file:///path/to/perfhouse"

    version("main", branch="main")

    variant("server", default=True, description="Also the extension, for the server of the postgresql that it is built with")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("postgresql@15:")
    depends_on("json-c")
    depends_on("expat")
    depends_on("zlib-api")
    depends_on("lz4")
    depends_on("zstd")
    depends_on("libarchive")
    depends_on("openssl")
    depends_on("sqlite")
    depends_on("otf2")
    depends_on("cairo+pdf+svg")
    depends_on("pango")
    depends_on("fontconfig")
    depends_on("libmicrohttpd")

    def arguments(self):
        return ["prefix=" + self.prefix, "sysconfdir=" + join_path(self.prefix, "etc"), "PG_CONFIG=" + self.spec["postgresql"].prefix.bin.pg_config]

    def build(self, spec, prefix):
        make(*self.arguments(), "all" if "+server" in spec else "client")

    def install(self, spec, prefix):
        make(*self.arguments(), "install-client")
        if "+server" in spec:
            # below this prefix, not the server's: extension_control_path of PostgreSQL 18 finds it, else link it there
            make(*self.arguments(), "DESTDIR=" + join_path(prefix, "server"), "install-extension")
