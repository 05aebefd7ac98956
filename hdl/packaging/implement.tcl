# Synthesises, places and routes the core out of context and reports timing and area. NEVER RUN HERE.
#
#   vivado -mode batch -source hdl/packaging/implement.tcl -tclargs PART [NAME=VALUE...]
#
# Parameters are those of core_kernel: Units=64, for example.
source [file join [file dirname [file normalize [info script]]] sources.tcl]
if {$argc < 1} {
    error "which part? For example: -tclargs xcu250-figd2104-2L-e Units=16"
}
set part [lindex $argv 0]
set out [file join [pwd] core_[join [lrange $argv 1 end] _]]
read_verilog -sv [concat $packages $modules]
read_verilog $packaging/core_kernel.v
read_xdc -mode out_of_context $packaging/core.xdc
set generics [lmap generic [lrange $argv 1 end] {list -generic $generic}]
synth_design -top core_kernel -part $part -mode out_of_context -include_dirs $parts {*}[concat {*}$generics]
opt_design
place_design
phys_opt_design
route_design
file mkdir $out
report_utilization -hierarchical -file $out/utilization.rpt
report_timing_summary -file $out/timing.rpt
write_checkpoint -force $out/core.dcp
