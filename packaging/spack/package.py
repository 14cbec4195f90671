# Spack recipe: perfhouse, for a package repository of the site's own (spack repo create; put it into packages/perfhouse/).
from spack.package import *

try: # since Spack 1.0 build systems belong to the repository of packages
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
except ImportError:
    pass


class Perfhouse(MakefilePackage):
    """Performance data warehouse for parallel programs: an extension of PostgreSQL, a loader of profiles and traces, and a renderer."""

    git = "file:///path/to/perfhouse"

    version("main", branch="main")

    # Spack's own postgresql has no lz4, without which there is no warehouse: name one of the system as an external package for this.
    variant("server", default=False, description="Also the extension, for the server of the postgresql that it is built with")

    variant("otf2", default=True, description="Read and write OTF2")
    variant("sqlite", default=True, description="Read exports of Nsight Systems and databases of ROCm's profilers")

    depends_on("c", type="build") # since Spack 0.23
    depends_on("pkgconfig", type="build")
    depends_on("postgresql@15:")
    depends_on("json-c")
    depends_on("expat")
    depends_on("zlib-api")
    depends_on("lz4")
    depends_on("zstd")
    depends_on("xxhash")
    depends_on("libarchive")
    depends_on("openssl")
    depends_on("sqlite", when="+sqlite")
    depends_on("otf2", when="+otf2")
    depends_on("cairo+ft+fc+png+pdf+svg") # its builds by Meson want these together
    depends_on("pango")
    depends_on("fontconfig")
    depends_on("libmicrohttpd")

    def arguments(self):
        without = [package for variant, package in (("otf2", "otf2"), ("sqlite", "sqlite3")) if "~" + variant in self.spec]
        return ["WITHOUT=" + " ".join(without), "prefix=" + self.prefix, "sysconfdir=" + join_path(self.prefix, "etc"), "PG_CONFIG=" + self.spec["postgresql"].prefix.bin.pg_config]

    def build(self, spec, prefix):
        make(*self.arguments(), "all" if "+server" in spec else "client")

    def install(self, spec, prefix):
        make(*self.arguments(), "install-client")
        if "+server" in spec:
            # below this prefix, not the server's: there the programs find it for a private server. For a shared one name it in
            # extension_control_path (PostgreSQL 18) or extension_destdir (Debian's), or link it into the server's folders.
            make(*self.arguments(), "DESTDIR=" + join_path(prefix, "stage"), "install-extension")
