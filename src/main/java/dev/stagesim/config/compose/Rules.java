package dev.stagesim.config.compose;

import java.util.Optional;
import java.util.function.Function;

/**
 * How a defaults tree is grown.
 *
 * @param strict true for Hydra 1.3.5's rules, false for ours
 * @param skipMissing true when groups without an option are left out instead of being an error
 * @param environment looks up environment variables
 */
record Rules(boolean strict, boolean skipMissing, Function<String, Optional<String>> environment) {}
