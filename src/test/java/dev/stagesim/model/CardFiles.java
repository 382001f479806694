package dev.stagesim.model;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the card options and the tables they come from without the configuration engine, for tests. */
public final class CardFiles {
    private static final Path HOME = Path.of(System.getProperty("stagesim.home", ".")).toAbsolutePath();

    private CardFiles() {}

    /** The model card of an option, following a short name to the full one. */
    public static ModelCard model(String option) {
        return bind(config("model", option), ModelCard.class);
    }

    /** The hardware card of an option, following a short name to the full one. */
    public static HardwareCard hardware(String option) {
        return bind(config("hardware", option), HardwareCard.class);
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
        return file(group, option).hasPath("defaults");
    }

    static Config file(String group, String option) {
        return ConfigFactory.parseFile(
                HOME.resolve("configs").resolve(group).resolve(option + ".conf").toFile(),
                ConfigParseOptions.defaults().setAllowMissing(false));
    }

    static Config config(String group, String option) {
        Config config = file(group, option);
        return config.hasPath("defaults")
                ? config(group, config.getStringList("defaults").get(0))
                : config;
    }

    static <R extends Record> R bind(Config config, Class<R> type) {
        RecordComponent[] components = type.getRecordComponents();
        Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            values[i] = value(config, components[i]);
        }
        try {
            Constructor<R> constructor = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static String key(String component) {
        return component.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    private static Object value(Config config, RecordComponent component) {
        String key = key(component.getName());
        boolean optional = component.getType() == Optional.class;
        Type type =
                optional ? ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0] : component.getType();
        Object found = config.hasPath(key) ? typed(config.getString(key), (Class<?>) type) : null;
        if (optional) {
            return Optional.ofNullable(found);
        }
        return found != null ? found : fallback(component, (Class<?>) type);
    }

    private static Object fallback(RecordComponent component, Class<?> type) {
        String def = component.getAnnotation(Key.class).def();
        if (def.equals(Key.REQUIRED)) {
            throw new IllegalStateException("missing " + component);
        }
        return typed(def, type);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Object typed(@Nullable String text, Class<?> type) {
        if (text == null) {
            throw new IllegalStateException("no text");
        }
        if (type == String.class) {
            return text;
        }
        if (type == int.class || type == Integer.class) {
            return Integer.parseInt(text);
        }
        if (type == long.class || type == Long.class) {
            return Long.parseLong(text);
        }
        if (type == double.class || type == Double.class) {
            return Double.parseDouble(text);
        }
        if (type == boolean.class) {
            return Boolean.parseBoolean(text);
        }
        return Enum.valueOf((Class) type, text.toUpperCase(Locale.ROOT));
    }
}
