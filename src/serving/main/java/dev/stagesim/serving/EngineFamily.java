package dev.stagesim.serving;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Families of engines. Versions and builds of one engine are one family. */
public final class EngineFamily {
    /** Beginnings of the names of engines and schedulers, which are also values of the key {@code engine}. */
    private static final List<String> FAMILIES = List.of("vllm", "sglang", "trtllm", "sarathi");

    private EngineFamily() {}

    /**
     * Returns the family of an engine or scheduler, a value of the key {@code engine}; empty if it is unknown.
     *
     * @param name name as measurements and cards write it, for example {@code TensorRT-LLM 1.2}
     */
    public static Optional<String> of(String name) {
        String plain = name.toLowerCase(Locale.ROOT).replaceFirst("^tensorrt[-_ ]?llm", "trtllm");
        return FAMILIES.stream().filter(plain::startsWith).findFirst();
    }
}
