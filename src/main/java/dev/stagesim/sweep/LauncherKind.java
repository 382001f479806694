package dev.stagesim.sweep;

import dev.stagesim.model.Feature;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.LauncherSettings;
import java.util.Locale;
import java.util.function.Function;

/**
 * A launcher that a feature adds.
 *
 * @param choice the settings that choose it
 * @param make makes the launcher of such settings
 */
public record LauncherKind(Class<? extends LauncherSettings> choice, Function<LauncherSettings, Launcher> make) {
    /** The launcher of these settings; a problem when no feature of this build adds it. */
    static Launcher launcher(LauncherSettings settings) {
        String name = settings.getClass().getSimpleName().toLowerCase(Locale.ROOT);
        return Feature.all(LauncherKind.class).stream()
                .filter(kind -> kind.choice == settings.getClass())
                .findFirst()
                .orElseThrow(() -> StageException.input(
                        Problem.of("launcher error", "launcher", "this build has no launcher=" + name)
                                .hint("the jar target/stagesim-features.jar holds it")))
                .make()
                .apply(settings);
    }
}
