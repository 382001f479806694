package dev.stagesim.cli;

import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.SearchRoot;
import dev.stagesim.stage.Stage;
import java.util.List;

/** The part of a stage's help that depends on the configs on disk: its groups and their options. */
final class GroupHelp {
    private static final int WIDTH = 96;
    private static final int NAME = 12;

    private final ConfigEngine engine;
    private final SettingsSchema schema;

    GroupHelp(Home home, Stage<?> stage) {
        this.engine = ConfigEngine.open(List.of(new SearchRoot("main", home.configs())));
        this.schema = SettingsSchema.of(stage.spec().settings());
    }

    /** One paragraph for each group; of long lists the first options and how many there are. */
    String text() {
        StringBuilder out = new StringBuilder("\nGroups and their options (group=option):\n");
        for (String group : engine.groups()) {
            List<String> options = engine.options(group);
            if (schema.isKnown(group.replaceFirst("/.*", "")) && !options.isEmpty()) {
                out.append(line(group, options)).append('\n');
            }
        }
        return out.append("\nKeys: specs/reference/config.md, or complete with the tab key (stage completion --help)\n")
                .toString();
    }

    private static String line(String group, List<String> options) {
        StringBuilder line = new StringBuilder(String.format("  %-" + NAME + "s", group));
        int shown = 0;
        for (String option : options) {
            if (line.length() + option.length() > WIDTH) {
                return line.append(" ... ")
                        .append(options.size())
                        .append(" in all")
                        .toString();
            }
            line.append(shown++ == 0 ? " " : ", ").append(option);
        }
        return line.toString();
    }
}
