package dev.stagesim.cli;

import dev.stagesim.config.grammar.Dialect;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Values of {@code --compat}: the rules of composition and of the grammar of overrides. */
final class ConfigRules implements ITypeConverter<Dialect>, Iterable<String> {
    /** Name of the rules of the product. */
    static final String NONE = "none";

    private static final Map<String, Dialect> BY_NAME = new LinkedHashMap<>();

    static {
        BY_NAME.put(NONE, Dialect.STAGE);
        BY_NAME.put("hydra", Dialect.HYDRA);
        BY_NAME.put("hydra-1.4", Dialect.HYDRA_1_4);
    }

    @Override
    public Dialect convert(String name) {
        Dialect dialect = BY_NAME.get(name);
        if (dialect == null) {
            throw new TypeConversionException(
                    "expected one of " + String.join(", ", BY_NAME.keySet()) + ", got '" + name + "'");
        }
        return dialect;
    }

    @Override
    public Iterator<String> iterator() {
        return BY_NAME.keySet().iterator();
    }
}
