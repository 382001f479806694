package dev.stagesim.stage.scalesim;

import dev.stagesim.sim.systolic.LayerFigures;
import dev.stagesim.stage.scalesim.ScaleSimSettings.EnergySettings;

/**
 * A layer's figures and what follows from them.
 *
 * @param figures its figures
 * @param referenceCycles cycles that the reference's third version reports
 * @param energy energy per action
 */
record LayerRow(LayerFigures figures, long referenceCycles, EnergySettings energy) {
    long macs() {
        return figures.layer().macs();
    }

    double sramWords() {
        return figures.image().sram().words()
                + figures.filter().sram().words()
                + figures.output().sram().words();
    }

    double dramWords() {
        return figures.image().dram().words()
                + figures.filter().dram().words()
                + figures.output().dram().words();
    }

    /** Multiply-accumulates that are done: with sparse filters only those kept. */
    double doneMacs() {
        return figures.sparse()
                .map(storage -> (double) storage.kept() * figures.layer().pixels())
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
