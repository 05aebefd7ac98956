//! With the feature `emulator`, compiles the kernels for the host.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "emulator")]
    compile();
}

#[cfg(feature = "emulator")]
const TRANSFORMS: [&str; 6] = [
    "negacyclic_doubles",
    "negacyclic_words",
    "negacyclic_bounds",
    "fermat_doubles",
    "fermat_words",
    "fermat_bounds",
];

#[cfg(feature = "emulator")]
fn compile() {
    for folder in ["kernels", "emulator"] {
        println!("cargo::rerun-if-changed={folder}");
    }
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .warnings(true)
        .extra_warnings(true)
        // Every rounding is the kernel's own: the compiler must not contract anything to fused
        // multiplications.
        .flag_if_supported("-ffp-contract=off")
        // The fused multiplications for which kernels ask become instructions.
        .flag_if_supported("-march=native")
        .flag_if_supported("-Wno-unknown-pragmas")
        .files(["emulator.cpp", "entries.cpp"].map(|file| format!("emulator/{file}")))
        // There are many kernels, one for every shape; they are compiled side by side.
        .files(TRANSFORMS.map(|file| format!("emulator/{file}.cpp")))
        .link_lib_modifier("+whole-archive")
        .compile("ringmill_cuda_emulator");
}
