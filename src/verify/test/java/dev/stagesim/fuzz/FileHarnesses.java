package dev.stagesim.fuzz;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.Tables;
import dev.stagesim.feature.pytorch.convert.ConvertRules;
import dev.stagesim.feature.pytorch.convert.Converter;
import dev.stagesim.feature.pytorch.json.DeviceTraceReader;
import dev.stagesim.feature.pytorch.json.HostTraceReader;
import dev.stagesim.feature.pytorch.link.LinkRules;
import dev.stagesim.feature.pytorch.link.Linker;
import dev.stagesim.io.astra.MemoryFiles;
import dev.stagesim.io.astra.NetworkFiles;
import dev.stagesim.io.astra.SystemFiles;
import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.io.chakra.EtJson;
import dev.stagesim.io.chakra.EtReader;
import dev.stagesim.io.chakra.FeederFiles;
import dev.stagesim.io.chakra.LegacyReader;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.fabric.Catalog;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.formats.ResultFormats;
import dev.stagesim.io.packet.ConfigFiles;
import dev.stagesim.io.packet.LogicalFiles;
import dev.stagesim.io.packet.TopologyFiles;
import dev.stagesim.io.packet.TraceNodes;
import dev.stagesim.io.scalesim.ArrayReader;
import dev.stagesim.io.scalesim.MnkReader;
import dev.stagesim.io.scalesim.TopologyReader;
import dev.stagesim.io.sqlite.SqliteFile;
import dev.stagesim.io.times.TimesFolder;
import dev.stagesim.io.trace.RowFilter;
import dev.stagesim.io.trace.TraceCodec;
import dev.stagesim.io.trace.TraceLoader;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.measure.Defaults;
import dev.stagesim.model.StageException;
import dev.stagesim.model.TraceFormat;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.mnk.Cluster;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.sim.trace.feed.FeederVersion;
import dev.stagesim.sim.trace.flexflow.FlexFlowTraces;
import dev.stagesim.sim.trace.text.TextForm;
import dev.stagesim.sim.trace.text.TextOptions;
import dev.stagesim.sim.trace.text.TextProgram;
import dev.stagesim.sim.trace.text.TextSchema;
import dev.stagesim.sim.trace.text.TextWorkload;
import dev.stagesim.traces.GroupFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/** Reads files of other tools and of users. */
final class FileHarnesses {
    private static final Path FILE =
            Jimfs.newFileSystem(Configuration.unix()).getPath("/input").toAbsolutePath();

    private FileHarnesses() {}

    /** Reads a file. */
    private interface Reading {
        void run(Path file) throws IOException;
    }

    /** Execution traces of all schemas. */
    static void et(byte[] input) throws IOException {
        attempt(input, file -> {
            try (EtReader reader = EtReader.open(file)) {
                while (reader.next() != null) {
                    // Individual nodes.
                }
            }
        });
        attempt(input, file -> {
            try (EtReader reader = EtReader.openAsPython(file)) {
                EtJson.write(reader, OutputStream.nullOutputStream());
            }
        });
        attempt(input, file -> {
            try (LegacyReader reader = LegacyReader.open(file)) {
                while (reader.next() != null) {
                    // Individual nodes.
                }
            }
        });
        for (FeederVersion version : FeederVersion.values()) {
            attempt(input, file -> FeederFiles.open(file, version));
        }
    }

    /** PyTorch traces: host, device, linked. */
    static void pytorch(byte[] input) throws IOException {
        attempt(
                input,
                file -> Linker.link(
                        HostTraceReader.read(file),
                        DeviceTraceReader.read(file),
                        new LinkRules(false, LinkRules.DEFAULT_PAUSE, Optional.empty())));
        attempt(input, DeviceTraceReader::read);
        attempt(input, file -> Converter.convert(HostTraceReader.readLinked(file), new ConvertRules(false, 0, false)));
    }

    /** Results of measurement tools, with format detection and in each format. */
    static void measured(byte[] input) throws IOException {
        attempt(input, file -> ResultFormats.read(file, Optional.empty(), ReadOptions.NONE));
        for (String name : ResultFormats.names()) {
            attempt(input, file -> ResultFormats.read(file, Optional.of(name), ReadOptions.NONE));
        }
    }

    /** Request traces, and a table of the product. */
    static void traces(byte[] input) throws IOException {
        attempt(
                input,
                file -> TraceLoader.load(file, TraceCodec.detect(file), String::length, RowFilter.all(() -> 0.5)));
        for (TraceFormat format : EnumSet.complementOf(EnumSet.of(TraceFormat.AUTO))) {
            attempt(input, file -> TraceLoader.load(file, format, String::length, RowFilter.all(() -> 0.5)));
        }
        attempt(input, file -> {
            try (TableReader table = TableReader.open(file, Tables.TRACE_LENGTHS)) {
                while (table.next()) {
                    table.longAt(0);
                }
            }
        });
    }

    /** Databases of profilers. */
    static void sqlite(byte[] input) throws IOException {
        attempt(input, file -> {
            try (SqliteFile database = SqliteFile.open(file)) {
                for (String table : database.tables()) {
                    database.rows(table, row -> {});
                }
            }
        });
        attempt(input, file -> ResultFormats.read(file, Optional.of("nsight"), ReadOptions.NONE));
    }

    /** YAML and JSON, and catalogs in them. */
    static void yaml(byte[] input) throws IOException {
        attempt(input, Yaml::read);
        attempt(input, Catalog::names);
        attempt(input, file -> Catalog.workload(file, "a"));
        for (JsonMode mode : JsonMode.values()) {
            attempt(input, file -> Json.readAll(file, mode));
        }
    }

    /** Tables of a profiling bundle with equal content, and tables of operator times. */
    static void bundle(byte[] input) throws IOException {
        BundleRequest request =
                BundleRequest.of(Defaults.model(), Defaults.hardware()).onDevices(2, 2);
        Path root = FILE.resolveSibling("bundle");
        for (Path file : BundleReader.files(root, request)) {
            Files.createDirectories(file.getParent());
            Files.write(file, input);
        }
        attempt(input, file -> BundleReader.read(root, request));
        attempt(input, file -> BundleReader.read(root, request.withHostOverheads(true)));
        Path times = Files.createDirectories(FILE.resolveSibling("times"));
        Files.write(times.resolve("attn_decode.csv"), input);
        attempt(input, file -> TimesFolder.read(times));
    }

    /** Networks, systems and memories of simulators. */
    static void network(byte[] input) throws IOException {
        for (AstraCompat compat : AstraCompat.values()) {
            attempt(input, file -> NetworkFiles.read(file, NetworkSpec.Contention.AWARE, compat));
            attempt(input, file -> SystemFiles.read(file, compat));
            attempt(input, file -> MemoryFiles.read(file, compat));
        }
        attempt(input, file -> GroupFiles.read(file, 8));
        for (PacketSpec.Compat compat : PacketSpec.Compat.values()) {
            attempt(input, file -> ConfigFiles.read(file, compat));
        }
        attempt(input, TopologyFiles::read);
        attempt(input, LogicalFiles::read);
        attempt(input, TraceNodes::read);
    }

    /** Descriptions of arrays and layers, and workloads as text. */
    static void layers(byte[] input) throws IOException {
        for (ScaleSimCompat compat : ScaleSimCompat.values()) {
            attempt(input, file -> ArrayReader.read(file, compat));
            attempt(input, file -> TopologyReader.rows(file, true, compat));
            attempt(input, file -> TopologyReader.rows(file, false, compat));
        }
        for (String policy : List.of("DATA", MnkReader.CUSTOMIZED)) {
            attempt(input, file -> MnkReader.read(file, policy, new Cluster(4, 2), false));
            attempt(input, file -> MnkReader.read(file, policy, new Cluster(4, 2), true));
        }
        String text = new String(input, StandardCharsets.UTF_8);
        attempt(input, file -> {
            TextWorkload workload = TextWorkload.parse("input", text, false);
            new TextForm(new TextProgram(
                            workload,
                            new TextOptions(
                                    TextSchema.values()[0],
                                    false,
                                    true,
                                    2,
                                    1,
                                    false,
                                    2,
                                    TextProgram.groups(workload, 2))))
                    .nodes(0);
        });
        attempt(input, file -> new FlexFlowTraces("input", text));
    }

    /** Writes the input to a file and reads it. Continues after rejected input. */
    private static void attempt(byte[] input, Reading reading) throws IOException {
        Files.write(FILE, input);
        try {
            reading.run(FILE);
        } catch (StageException wrong) {
            if (wrong.kind() != StageException.Kind.INPUT) {
                throw wrong;
            }
        }
    }
}
