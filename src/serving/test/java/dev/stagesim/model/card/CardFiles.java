package dev.stagesim.model.card;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigValue;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Key;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Reads the card options and their source tables. */
public final class CardFiles {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", ".")).toAbsolutePath();

    private static final ConfigEngine ENGINE =
            ConfigEngine.open(List.of(new SearchRoot("main", HOME.resolve("configs"))));

    private CardFiles() {}

    /** Returns the model card of an option. A short name refers to the option with the full name. */
    public static ModelCard model(String option) {
        return composed("model", option, OfModel.class).model();
    }

    /** Returns the options of the shipped model cards without short names. */
    public static List<String> models() throws IOException {
        List<String> options = new ArrayList<>();
        try (Stream<Path> files = Files.list(HOME.resolve("configs/model")).sorted()) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (Files.readString(file).contains("hidden_size")) {
                    options.add(String.valueOf(file.getFileName()).replace(".conf", ""));
                }
            }
        }
        return options;
    }

    /** Returns the model card of an option with overrides such as {@code model.num_layers=1}. */
    public static ModelCard model(String option, String[] overrides) {
        return composed("model", option, OfModel.class, overrides).model();
    }

    /** Returns the hardware card of an option. A short name refers to the option with the full name. */
    public static HardwareCard hardware(String option, String... overrides) {
        return composed("hardware", option, OfHardware.class, overrides).hardware();
    }

    /** Returns the step card of an engine. */
    public static StepCard engine(String option, String... overrides) {
        return composed("engine", option, OfEngine.class, overrides).engine().step();
    }

    /** Returns the scheduler of an engine's option. */
    public static SchedulerSettings scheduler(String option) {
        return composed("scheduler", option, OfScheduler.class).scheduler();
    }

    record OfScheduler(@Key("s") SchedulerSettings scheduler) {}

    record OfModel(@Key("m") ModelCard model) {}

    record OfHardware(@Key("h") HardwareCard hardware) {}

    record OfEngine(@Key("e") EngineSettings engine) {}

    /** Composes a card with its kernel and link options. */
    private static <R extends Record> R composed(String group, String option, Class<R> type, String... overrides) {
        SettingsSchema schema = SettingsSchema.of(type);
        ComposeRequest request = new ComposeRequest(
                        Optional.empty(),
                        Stream.concat(Stream.of("+" + group + "=" + option), Stream.of(overrides))
                                .toList(),
                        ComposeRequest.Mode.RUN,
                        Dialect.STAGE,
                        Optional.empty())
                .withSchema(schema);
        return Binder.bind(schema.complete(ENGINE.compose(request).config()), type);
    }

    static List<String> options(String group) throws IOException {
        try (Stream<Path> files = Files.list(HOME.resolve("configs").resolve(group))) {
            return files.map(f -> f.getFileName().toString().replace(".conf", ""))
                    .sorted()
                    .toList();
        }
    }

    static List<NamedCsvRecord> table(String name) throws IOException {
        try (CsvReader<NamedCsvRecord> reader =
                CsvReader.builder().ofNamedCsvRecord(HOME.resolve("specs/data").resolve(name))) {
            return reader.stream().toList();
        }
    }

    static boolean isShortName(String group, String option) {
        Config file = file(group, option);
        return !file.hasPath("name") || file.hasPath("defaults");
    }

    static Config file(String group, String option) {
        Config file = ConfigFactory.parseFile(
                HOME.resolve("configs").resolve(group).resolve(option + ".conf").toFile(),
                ConfigParseOptions.defaults().setAllowMissing(false));
        // The table has no kernel and link values.
        return file.hasPath("name") && !group.equals("model")
                ? file.withoutPath("defaults").withoutPath("kernels").withoutPath("link")
                : file;
    }

    static Config config(String group, String option) {
        Config config = file(group, option);
        return config.hasPath("defaults")
                ? config(group, config.getStringList("defaults").get(0))
                : config;
    }

    /** Binds a record with the product's binder, which checks ranges and the rules of the record. */
    static <R extends Record> R bind(Config config, Class<R> type) {
        Map<String, Node> entries = new TreeMap<>();
        config.root().forEach((key, value) -> entries.put(key, scalar(value)));
        return Binder.bind(MapNode.of(entries, Origin.DEFAULT), type);
    }

    private static Node scalar(ConfigValue value) {
        Object plain = value.unwrapped();
        if (plain instanceof Boolean flag) {
            return ScalarNode.of(flag, Origin.DEFAULT);
        }
        if (plain instanceof Double number) {
            return ScalarNode.of(number, Double.toString(number), Origin.DEFAULT);
        }
        return plain instanceof Number number
                ? ScalarNode.of(number.longValue(), Origin.DEFAULT)
                : ScalarNode.of((String) plain, Origin.DEFAULT);
    }

    static String key(String component) {
        return component.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }
}
