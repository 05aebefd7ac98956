# Constraints of the core for synthesis and implementation out of context. NEVER RUN HERE.
#
# 5 ns is the clock at which docs/machines/core.md states times, not one that was reached. In a Vitis kernel the platform
# gives the clock, and this file is not used.
create_clock -name ap_clk -period 5.000 [get_ports ap_clk]
set_property HD.CLK_SRC BUFGCTRL_X0Y0 [get_ports ap_clk]

# Interconnects register their outputs; half the period is theirs.
set_input_delay -clock ap_clk 2.500 [get_ports -filter {DIRECTION == IN && NAME != "ap_clk"}]
set_output_delay -clock ap_clk 2.500 [get_ports -filter {DIRECTION == OUT}]

# The reset is synchronous, and held for many cycles before the first access.
set_multicycle_path -setup 4 -from [get_ports ap_rst_n]
set_multicycle_path -hold 3 -from [get_ports ap_rst_n]
