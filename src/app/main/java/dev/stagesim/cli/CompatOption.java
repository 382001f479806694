package dev.stagesim.cli;

import dev.stagesim.config.grammar.Dialect;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The option {@code --compat}: the rules of composition and of the grammar of overrides. */
final class CompatOption {
    @Option(
            names = "--compat",
            paramLabel = "RULES",
            defaultValue = "none",
            converter = Names.class,
            completionCandidates = Names.class,
            description = "Rules, ${COMPLETION-CANDIDATES}: hydra keeps Hydra 1.3.5's restrictions,"
                    + " hydra-1.4 those of 1.4.0rc3.")
    private Dialect dialect = Dialect.STAGE;

    Dialect dialect() {
        return dialect;
    }

    /** The names of the rules. */
    static final class Names implements ITypeConverter<Dialect>, Iterable<String> {
        private static final Map<String, Dialect> ALL = new LinkedHashMap<>();

        static {
            ALL.put("none", Dialect.STAGE);
            ALL.put("hydra", Dialect.HYDRA);
            ALL.put("hydra-1.4", Dialect.HYDRA_1_4);
        }

        @Override
        public Dialect convert(String name) {
            Dialect dialect = ALL.get(name);
            if (dialect == null) {
                throw new TypeConversionException(
                        "expected one of " + String.join(", ", ALL.keySet()) + ", got '" + name + "'");
            }
            return dialect;
        }

        @Override
        public Iterator<String> iterator() {
            return ALL.keySet().iterator();
        }
    }
}
