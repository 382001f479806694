package dev.stagesim.feature.scalesim;

import dev.stagesim.feature.scalesim.ScaleSimSettings.EnergySettings;
import dev.stagesim.sim.systolic.LayerFigures;
import dev.stagesim.sim.systolic.OperandFigures;
import dev.stagesim.sim.systolic.Span;
import java.util.function.Function;

/**
 * A layer's figures and what follows from them, for all of its products.
 *
 * @param figures of one product, as they are reported
 * @param corrected the same as we count them
 * @param reference the same as SCALE-Sim counts them
 * @param products equal products of the layer, one after the other
 * @param energy energy per action
 */
record LayerRow(
        LayerFigures figures, LayerFigures corrected, LayerFigures reference, int products, EnergySettings energy) {
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
        return words(LayerFigures::image, true) + words(LayerFigures::filter, true) + words(LayerFigures::output, true);
    }

    double dramWords() {
        return words(LayerFigures::image, false)
                + words(LayerFigures::filter, false)
                + words(LayerFigures::output, false);
    }

    double words(Function<LayerFigures, OperandFigures> operand, boolean isOnChip) {
        Span span = isOnChip
                ? operand.apply(figures).sram()
                : operand.apply(figures).dram();
        return span.words() * products;
    }

    /** Multiply-accumulates that are done: with sparse filters only those kept. */
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
