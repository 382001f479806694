package dev.stagesim.cli;

import dev.stagesim.cli.console.ErrorReport;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.OverrideParser;
import dev.stagesim.config.grammar.ParsedOverrideJson;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the parsed form of overrides: operation, key and value. */
@Command(name = "parse", description = "Show how overrides parse, one line each.")
final class ConfigParseCommand extends Subcommand {
    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    @Mixin
    private final CompatOption compat = new CompatOption();

    @Parameters(arity = "1..*", paramLabel = "OVERRIDE", description = "Overrides in Hydra's grammar.")
    private List<String> overrides = List.of();

    @Override
    public Integer call() {
        boolean wrong = false;
        for (int i = 0; i < overrides.size(); i++) {
            wrong |= !show(overrides.get(i), i + 1, compat.dialect());
        }
        return wrong ? ExitCode.INPUT : ExitCode.DONE;
    }

    private boolean show(String text, int position, Dialect dialect) {
        try {
            ConfigOverride override = OverrideParser.parse(text, position, dialect);
            JsonValue.Obj parsed = ParsedOverrideJson.of(override, dialect);
            console().result(json ? line(text, "result", parsed) : text(text, parsed));
            return true;
        } catch (StageException wrong) {
            if (json) {
                console().result(line(text, "error", error(wrong)));
            }
            new ErrorReport(console(), debug()).print(wrong);
            return false;
        }
    }

    private static String line(String text, String member, JsonValue value) {
        return Json.compact(JsonValue.object()
                .put("input", text)
                .put("ok", member.equals("result"))
                .put(member, value)
                .build());
    }

    private static JsonValue error(StageException wrong) {
        return JsonValue.object()
                .put("message", String.valueOf(wrong.getMessage()))
                .build();
    }

    /** Formats one override on one line: operation, key, and value with its type. */
    private static String text(String text, JsonValue.Obj parsed) {
        StringBuilder out = new StringBuilder(text).append("  ");
        parsed.members().forEach((name, value) -> {
            if (value != JsonValue.NULL) {
                out.append("  ").append(name).append('=').append(Json.compact(value));
            }
        });
        return out.toString();
    }
}
