package dev.stagesim.stage.workload;

import static java.util.Map.entry;

import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.TraceFormat;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.workload.EmptyRows;
import dev.stagesim.serving.workload.LabelSettings;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.LogNormalTokens;
import dev.stagesim.serving.workload.RowOrder;
import dev.stagesim.serving.workload.RowSettings;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.serving.workload.UnsortedRows;
import dev.stagesim.sim.workload.Overlong;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.WorkloadStageSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WorkloadSettingsTest {
    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(new Settings().build());
    }

    @ParameterizedTest
    @MethodSource("variants")
    void bindsEveryKey(LengthSettings lengths, ArrivalSettings arrival) {
        SettingsContract.assertEveryKeyNonDefault(new WorkloadStageSettings(
                KeyRecord.of(
                        ServingWorkload.class,
                        Map.ofEntries(
                                entry("dir", Optional.of(Path.of("d"))),
                                entry("seed", Optional.of(7L)),
                                entry("numRequests", Optional.of(5)),
                                entry("duration", Optional.of(2.5)),
                                entry("lengths", lengths),
                                entry("file", Optional.of(Path.of("f"))),
                                entry("format", TraceFormat.AZURE),
                                entry(
                                        "rows",
                                        new RowSettings(
                                                1,
                                                Optional.of(2L),
                                                Optional.of("m"),
                                                Optional.of(0.5),
                                                EmptyRows.DROP,
                                                UnsortedRows.SORT)),
                                entry("tokenizer", Optional.of("cl100k_base")),
                                entry("maxTokens", Optional.of(100)),
                                entry("overlong", Optional.of(Overlong.DROP)),
                                entry("sharing", new SharingSettings.Sessions(3, 2.5, 100)),
                                entry("labels", new LabelSettings(3, 0.5, 0.25, List.of(1.0, 2.0))))),
                arrival,
                CompatMode.VIDUR,
                new SuiteSettings(SuiteSettings.Values.PROGRAM)));
    }

    static Stream<Arguments> variants() {
        Optional<Long> seed = Optional.of(9L);
        List<LengthSettings> lengths = List.of(
                new LengthSettings.Uniform(2, 3, 4),
                new LengthSettings.Zipf(2, 3, 0.5, true, 4, seed),
                new LengthSettings.LogNormal(new LogNormalTokens(1, 2, 3, 4), new LogNormalTokens(5, 6, 7, 8), seed),
                new LengthSettings.Empirical(2, 3, seed),
                new LengthSettings.Trace(RowOrder.SHUFFLED, true, 2, 3, seed),
                new LengthSettings.Prompts(RowOrder.SHUFFLED, true, Optional.of(3), seed),
                new LengthSettings.Listed(List.of(1), List.of(2)));
        ArrivalSettings trace =
                new ArrivalSettings.Trace(Optional.of(Path.of("a")), Optional.of("1"), Optional.of("2"), 3);
        List<ArrivalSettings> arrivals =
                List.of(new ArrivalSettings.Fixed(2, 3), new ArrivalSettings.Gamma(2, 3, true), trace);
        return Stream.concat(
                lengths.stream().map(l -> Arguments.of(l, trace)),
                arrivals.stream().map(a -> Arguments.of(lengths.get(0), a)));
    }
}
