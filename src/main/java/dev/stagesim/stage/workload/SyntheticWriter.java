package dev.stagesim.stage.workload;

import dev.stagesim.io.json.pytorch.SyntheticTrace;
import dev.stagesim.report.Markdown;
import dev.stagesim.settings.PytorchSyntheticWorkload;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes made-up PyTorch traces. */
final class SyntheticWriter {
    private final PytorchSyntheticWorkload settings;
    private final StageContext context;

    SyntheticWriter(PytorchSyntheticWorkload settings, StageContext context) {
        this.settings = settings;
        this.context = context;
    }

    void write() throws IOException {
        Path out = context.out();
        SyntheticTrace.Counts counts = new SyntheticTrace.Counts(0, 0, 0);
        for (int rank = 0; rank < settings.ranks(); rank++) {
            context.progress("ranks", rank, settings.ranks());
            counts = SyntheticTrace.write(
                    out.resolve("host_" + rank + ".json"),
                    out.resolve("kineto_" + rank + ".json"),
                    new SyntheticTrace.Shape(
                            settings.events(),
                            rank,
                            settings.ranks(),
                            settings.layer(),
                            settings.layers(),
                            settings.streams(),
                            settings.syncEvents()));
        }
        context.headline("events", counts.events());
        context.headline("host_ops", counts.hostOps());
        context.headline("device_ops", counts.deviceOps());
        Files.writeString(
                out.resolve("summary.md"),
                new Markdown()
                        .heading(1, "Made-up PyTorch traces of " + settings.ranks() + " ranks")
                        .paragraph("Each has " + counts.events() + " profiler events, " + counts.hostOps()
                                + " host operators and " + counts.deviceOps() + " device operators.")
                        .build(),
                StandardCharsets.UTF_8);
    }
}
