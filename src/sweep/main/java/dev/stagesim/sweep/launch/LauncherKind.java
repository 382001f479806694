package dev.stagesim.sweep.launch;

import dev.stagesim.model.Feature;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.Locale;
import java.util.function.Function;

/**
 * A launcher of a feature.
 *
 * @param choice the settings record of the launcher
 * @param make creates the launcher from its settings
 */
public record LauncherKind(Class<? extends LauncherSettings> choice, Function<LauncherSettings, Launcher> make) {
    /** Returns the launcher of these settings. Throws if no feature of this build provides it. */
    static Launcher launcher(LauncherSettings settings) {
        String name = settings.getClass().getSimpleName().toLowerCase(Locale.ROOT);
        return Feature.all(LauncherKind.class).stream()
                .filter(kind -> kind.choice == settings.getClass())
                .findFirst()
                .orElseThrow(() -> StageException.input(
                        Problem.of("launcher error", "launcher", "this build has no launcher=" + name)
                                .hint("the module that adds it is not on the class path (target/stagesim-*.jar)")))
                .make()
                .apply(settings);
    }
}
