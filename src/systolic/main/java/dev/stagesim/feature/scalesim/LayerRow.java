package dev.stagesim.feature.scalesim;

import dev.stagesim.feature.scalesim.ScaleSimSettings.EnergySettings;
import dev.stagesim.sim.systolic.spec.LayerMetrics;
import dev.stagesim.sim.systolic.spec.OperandTraffic;
import dev.stagesim.sim.systolic.spec.TrafficSpan;
import java.util.function.Function;

/**
 * Metrics of a layer and derived values for all its products.
 *
 * @param figures reported metrics of one product
 * @param corrected metrics by the product's own model
 * @param reference metrics by SCALE-Sim's counting
 * @param products number of equal products of the layer, run sequentially
 * @param energy energy per action
 */
record LayerRow(
        LayerMetrics figures, LayerMetrics corrected, LayerMetrics reference, int products, EnergySettings energy) {
    String name() {
        return figures.layer().name();
    }

    long macs() {
        return figures.layer().macs() * products;
    }

    long cycles() {
        return figures.totalCycles() * products;
    }

    long referenceCycles() {
        return reference.totalCycles() * products;
    }

    long stalls() {
        return figures.stallCycles() * products;
    }

    double sramWords() {
        return words(LayerMetrics::image, true) + words(LayerMetrics::filter, true) + words(LayerMetrics::output, true);
    }

    double dramWords() {
        return words(LayerMetrics::image, false)
                + words(LayerMetrics::filter, false)
                + words(LayerMetrics::output, false);
    }

    double words(Function<LayerMetrics, OperandTraffic> operand, boolean isOnChip) {
        TrafficSpan span = isOnChip
                ? operand.apply(figures).sram()
                : operand.apply(figures).dram();
        return span.words() * products;
    }

    /** Multiply-accumulates performed; with sparse filters, only with kept weights. */
    double doneMacs() {
        return figures.sparse()
                .map(storage -> (double) storage.kept() * figures.layer().pixels() * products)
                .orElse((double) macs());
    }

    double macPicojoules() {
        return doneMacs() * energy.macPj();
    }

    double sramPicojoules() {
        return sramWords() * energy.sramPj();
    }

    double dramPicojoules() {
        return dramWords() * energy.dramPj();
    }

    double picojoules() {
        return macPicojoules() + sramPicojoules() + dramPicojoules();
    }
}
