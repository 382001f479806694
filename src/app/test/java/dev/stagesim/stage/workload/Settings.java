package dev.stagesim.stage.workload;

import dev.stagesim.model.TraceFormat;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.LabelSettings;
import dev.stagesim.settings.LengthSettings;
import dev.stagesim.settings.RowOrder;
import dev.stagesim.settings.RowSettings;
import dev.stagesim.settings.SharingSettings;
import dev.stagesim.settings.SuiteSettings;
import dev.stagesim.settings.WorkloadStageSettings;
import dev.stagesim.sim.workload.Overlong;
import java.nio.file.Path;
import java.util.Optional;

/** Builds settings for tests: everything at its default but what a test names. */
final class Settings {
    Optional<Path> dir = Optional.empty();
    Optional<Long> seed = Optional.empty();
    Optional<Integer> numRequests = Optional.empty();
    Optional<Double> duration = Optional.empty();
    LengthSettings lengths = new LengthSettings.Fixed(2048, 512);
    Optional<Path> file = Optional.empty();
    TraceFormat format = TraceFormat.AUTO;
    RowSettings rows = RowSettings.ALL;
    Optional<String> tokenizer = Optional.empty();
    Optional<Integer> maxTokens = Optional.empty();
    Optional<Overlong> overlong = Optional.empty();
    SharingSettings sharing = new SharingSettings.None();
    LabelSettings labels = LabelSettings.NONE;
    ArrivalSettings arrival = new ArrivalSettings.Poisson(1.0);
    Compat compat = Compat.NONE;

    static Settings requests(int count) {
        Settings settings = new Settings();
        settings.numRequests = Optional.of(count);
        return settings;
    }

    /** The rows of a file, with its arrivals. */
    static Settings replay(Path trace) {
        Settings settings = new Settings();
        settings.file = Optional.of(trace);
        settings.lengths = inOrder();
        settings.arrival = recorded();
        return settings;
    }

    static LengthSettings.Trace inOrder() {
        return new LengthSettings.Trace(RowOrder.FILE, false, 1.0, 1.0, Optional.empty());
    }

    static ArrivalSettings.Trace recorded() {
        return new ArrivalSettings.Trace(Optional.empty(), Optional.empty(), Optional.empty(), 1.0);
    }

    WorkloadStageSettings build() {
        return new WorkloadStageSettings(
                new ServingWorkload(
                        dir,
                        seed,
                        numRequests,
                        duration,
                        lengths,
                        file,
                        format,
                        rows,
                        tokenizer,
                        maxTokens,
                        overlong,
                        sharing,
                        labels),
                arrival,
                compat,
                new SuiteSettings(SuiteSettings.Values.TABLE));
    }
}
