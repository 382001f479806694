package dev.stagesim.io.scalesim;

import dev.stagesim.contract.RowInvariant;
import dev.stagesim.contract.TableSchema;

/** Tables of a systolic-array run. */
public final class ScaleSimTables {
    public static final TableSchema LAYERS = TableSchema.of(
            """
            layers.csv 2 | Cycles, utilisation, traffic and energy of every layer, in the order of the topology.
            layer_id | int 0.. | Number of the layer, from 0.
            name | text | Name in the topology.
            products | int 1.. | Identical products of the layer; counts, cycles and energy cover all of them.
            macs | int 0.. | Multiply-accumulates of the dense layer.
            total_cycles | int cycles 0.. | Duration of the layer.
            reference_cycles | int cycles 0.. | Cycles that SCALE-Sim reports: v3, or v2 with compat=v2.
            stall_cycles | int cycles 0.. | Cycles waiting for memory.
            overall_utilization | real % | Useful work divided by the work of all cycles.
            mapping_efficiency | real % | Share of the array in use.
            compute_utilization | real % | Utilisation while operands stream.
            sram_words | real words | Words between array and on-chip memories.
            dram_words | real words | Words between on-chip memories and DRAM.
            mac_energy_pj | real pJ | Energy of the arithmetic.
            sram_energy_pj | real pJ | Energy of the on-chip memories.
            dram_energy_pj | real pJ | Energy of DRAM.
            """,
            new RowInvariant.Increasing("layer_id"));

    public static final TableSchema ENERGY = TableSchema.of(
            """
            energy.csv 1 | Number and energy of actions over all layers.
            component | text | The array, or the memory of an operand.
            action | text | Action.
            count | real 0.. | Number of actions; for memories, 8-bit words.
            energy_pj | real pJ 0.. | Energy of one action.
            total_pj | real pJ 0.. | Energy of all actions.
            """);

    private ScaleSimTables() {}
}
