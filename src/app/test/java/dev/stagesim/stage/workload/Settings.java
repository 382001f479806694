package dev.stagesim.stage.workload;

import static java.util.Map.entry;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.TraceFormat;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.workload.LabelSettings;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.RowOrder;
import dev.stagesim.serving.workload.RowSettings;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.sim.workload.Overlong;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.WorkloadStageSettings;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Builds settings for tests from the defaults. Tests set only the values that differ. */
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
    CompatMode compat = CompatMode.NONE;

    static Settings requests(int count) {
        Settings settings = new Settings();
        settings.numRequests = Optional.of(count);
        return settings;
    }

    /** Returns settings that replay the rows of a file with its arrival times. */
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
                KeyRecord.of(
                        ServingWorkload.class,
                        Map.ofEntries(
                                entry("dir", dir),
                                entry("seed", seed),
                                entry("numRequests", numRequests),
                                entry("duration", duration),
                                entry("lengths", lengths),
                                entry("file", file),
                                entry("format", format),
                                entry("rows", rows),
                                entry("tokenizer", tokenizer),
                                entry("maxTokens", maxTokens),
                                entry("overlong", overlong),
                                entry("sharing", sharing),
                                entry("labels", labels))),
                arrival,
                compat,
                new SuiteSettings(SuiteSettings.Values.TABLE));
    }
}
