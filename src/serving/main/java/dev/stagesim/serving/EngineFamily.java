package dev.stagesim.serving;

import java.util.Locale;
import java.util.Optional;

/** Families of engines. Versions and builds of one engine are one family. */
public final class EngineFamily {
    private static final String SARATHI = "sarathi";

    private EngineFamily() {}

    /**
     * Returns the family of an engine or scheduler, a value of the key {@code engine}; empty if it is unknown.
     *
     * @param name name as measurements and cards write it, for example {@code TensorRT-LLM 1.2}
     */
    public static Optional<String> of(String name) {
        String plain = name.toLowerCase(Locale.ROOT).replaceFirst("^tensorrt[-_ ]?llm", "trtllm");
        return EngineChoice.Kind.of(plain).map(EngineChoice.Kind::beginning).or(() -> Optional.of(SARATHI)
                .filter(plain::startsWith));
    }
}
