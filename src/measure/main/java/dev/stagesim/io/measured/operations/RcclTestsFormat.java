package dev.stagesim.io.measured.operations;

import static dev.stagesim.model.Nanos.NS_PER_US;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.BandwidthRatios;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.JsonFacts;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.Operations.Collective;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.ResultFile;
import dev.stagesim.io.measured.ResultFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Output of rccl-tests ({@code -Z json -x FILE} or {@code -Z csv}): one line for each message size and use of the buffers; us and GB/s of 10^9. */
public final class RcclTestsFormat extends ResultFormat {
    public RcclTestsFormat() {
        super("rccl_tests", "output of rccl-tests -Z json or -Z csv");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.hasMembers("algBw", "busBw", "ranks", "size") || isTable(file);
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "rccl-tests have no requests");
        List<Collective> rows = new ArrayList<>();
        List<String> places = new ArrayList<>();
        for (LocatedJson at : isTable(FormatProbe.at(file)) ? table(file) : ResultFile.documents(file)) {
            Line line = JsonBinder.FOREIGN.bind(at, Line.class);
            rows.add(line.collective());
            places.add(at.where());
        }
        MeasurementBuilder builder = new MeasurementBuilder(name(), "rccl-tests", file.toString());
        builder.means("time_ns", "one call, mean over calls");
        return builder.collectives(rows, places);
    }

    private static boolean isTable(FormatProbe file) {
        return file.hasColumns("algBw", "busBw", "ranks", "size");
    }

    /** Converts the rows of {@code -Z csv} to the objects of {@code -Z json}. */
    private static List<LocatedJson> table(Path file) throws IOException {
        LooseTable table = ResultFile.table(file);
        List<LocatedJson> lines = new ArrayList<>();
        for (int i = 0; i < table.size(); i++) {
            JsonObjectBuilder line = JsonValue.object();
            for (String column : List.of("ranks", "size", "inPlace", "time", "algBw", "busBw")) {
                line.put(column, table.number(i, column));
            }
            line.put("name", table.text(i, "name")).put("#wrong", table.text(i, "#wrong"));
            lines.add(new LocatedJson(table.where(i), "", line.build()));
        }
        return lines;
    }

    /**
     * One line.
     *
     * @param wrong wrong results, as text or as a number; "N/A" if the results were not checked
     */
    private record Line(
            String name,
            int ranks,
            long size,
            @JsonProperty("inPlace") int inPlace,
            double time,
            @JsonProperty("algBw") double algBw,
            @JsonProperty("busBw") double busBw,
            @JsonProperty("#wrong") Optional<JsonValue> wrong) {
        Collective collective() {
            String count = wrong.map(value -> JsonFacts.text(new LocatedJson("", "", value)))
                    .orElse("");
            return new Collective(
                    BandwidthRatios.named(name),
                    ranks,
                    size,
                    inPlace != 0,
                    time * NS_PER_US,
                    algBw,
                    busBw,
                    count.matches("\\d{1,18}") ? Long.parseLong(count) : -1);
        }
    }
}
