# The sources of the core: packages before modules, lower parts before higher ones. NEVER RUN HERE.
set packaging [file dirname [file normalize [info script]]]
set hdl [file dirname $packaging]
set parts [list $hdl/common $hdl/ntt_engine/xor_banks $hdl/ntt_engine/dedicated_read $hdl/core]
set packages {}
set modules {}
foreach part $parts {
    foreach source [lsort [glob $part/*.sv]] {
        if {[string match *_pkg.sv $source]} {
            lappend packages $source
        } else {
            lappend modules $source
        }
    }
}
