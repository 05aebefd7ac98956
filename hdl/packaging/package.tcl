# Packages the core as an IP block, and as a kernel for Vitis (core_kernel.xo). NEVER RUN HERE.
#
#   vivado -mode batch -source hdl/packaging/package.tcl -tclargs PART
#
# Parameters are the defaults of core_kernel.v.
source [file join [file dirname [file normalize [info script]]] sources.tcl]
if {$argc != 1} {
    error "which part? For example: -tclargs xcu250-figd2104-2L-e"
}
set out [file join [pwd] core_kernel]
create_project -force package_core $out/project -part [lindex $argv 0]
add_files -norecurse [concat $packages $modules [list $packaging/core_kernel.v]]
add_files -norecurse $hdl/common/assertions.svh
set_property include_dirs $parts [current_fileset]
set_property top core_kernel [current_fileset]
update_compile_order -fileset sources_1

ipx::package_project -root_dir $out/ip -vendor ringmill -library kernel -taxonomy /KernelIP -import_files
set ip [ipx::current_core]
ipx::infer_bus_interface ap_clk xilinx.com:signal:clock_rtl:1.0 $ip
ipx::infer_bus_interface ap_rst_n xilinx.com:signal:reset_rtl:1.0 $ip
ipx::infer_bus_interface interrupt xilinx.com:signal:interrupt_rtl:1.0 $ip
foreach bus {s_axi_control m_axi_memory} {
    ipx::associate_bus_interfaces -busif $bus -clock ap_clk $ip
}
set_property sdx_kernel true $ip
set_property sdx_kernel_type rtl $ip
set_property vitis_drc {ctrl_protocol user_managed} $ip
set_property ipi_drc {ignore_freq_hz true} $ip
ipx::create_xgui_files $ip
ipx::update_checksums $ip
ipx::check_integrity $ip
ipx::save_core $ip

package_xo -force -xo_path $out/core_kernel.xo -kernel_name core_kernel -ctrl_protocol user_managed \
    -ip_directory $out/ip -kernel_xml $packaging/kernel.xml
close_project
