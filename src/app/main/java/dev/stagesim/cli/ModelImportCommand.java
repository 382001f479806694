package dev.stagesim.cli;

import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.ResultStream;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.hf.ModelConfig;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Converts a config.json to a model card. */
@Command(
        name = "import",
        description = "Convert a config.json from Hugging Face to a model card.",
        footer = {
            "",
            "Example: stage model import config.json --name org/model --output my/model/mine.conf",
            "         stage vidur_sim --config-dir my model=mine"
        })
final class ModelImportCommand extends Subcommand {
    /** A line that every model card has. */
    private static final Pattern CARD = Pattern.compile("(?m)^\\s*(hidden_size|defaults)\\s*[=:]");

    @Parameters(index = "0", paramLabel = "FILE", description = "config.json of the model.")
    private Path file = Path.of("config.json");

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Full name of the model. The default is the name of the folder.")
    private Optional<String> name = Optional.empty();

    @Option(names = "--output", paramLabel = "CONF", description = "Write the card there instead of printing it.")
    private Optional<Path> output = Optional.empty();

    @Override
    public Integer call() throws IOException {
        if (!Files.isRegularFile(InputFile.regular(file))) {
            throw StageException.input(Problem.of("input error", file.toString(), "there is no such file"));
        }
        ModelCard model = ModelConfig.read(file, name.orElse(ModelConfig.nameOf(file)));
        model.warnings().forEach(console()::warn);
        String card = text(model);
        if (output.isPresent()) {
            Path parent = output.get().toAbsolutePath().getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            refuseOther(output.get());
            ResultStream.text(console(), output.get(), inputs(), out -> out.write(card));
            console().result(output.get().toString());
        } else {
            console().result(card.strip());
        }
        return ExitCode.DONE;
    }

    /** Returns the files that the card is read from. */
    private List<Path> inputs() {
        return List.of(file, ModelConfig.quantisationFile(file));
    }

    /** Refuses to replace a file that is not a model card. */
    private static void refuseOther(Path output) throws IOException {
        if (Files.isRegularFile(output)
                && Files.size(output) > 0
                && !CARD.matcher(InputFile.text(output)).find()) {
            throw StageException.input(Problem.usage("--output " + output, "exists and is not a model card")
                    .hint("remove the file or choose another path"));
        }
    }

    /** Returns the card as a config file, one line per key with a value. */
    private static String text(ModelCard card) {
        StringBuilder out = new StringBuilder();
        for (RecordComponent component : KeyRecord.components(ModelCard.class)) {
            Object value = KeyRecord.value(component, card);
            Object plain = value instanceof Optional<?> some ? some.orElse(null) : value;
            if (plain != null && !(plain instanceof List<?> items && items.isEmpty())) {
                out.append(KeyNames.snake(component.getName()))
                        .append(" = ")
                        .append(literal(plain))
                        .append('\n');
            }
        }
        return out.toString();
    }

    private static String literal(Object value) {
        if (value instanceof List<?> items) {
            return items.stream().map(ModelImportCommand::literal).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Record section) {
            return KeyRecord.components(section.getClass()).stream()
                    .map(component ->
                            KeyNames.snake(component.getName()) + " = " + literal(KeyRecord.value(component, section)))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof Enum<?> constant) {
            return KeyNames.constant(constant);
        }
        return value instanceof String text
                ? '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"'
                : value.toString();
    }
}
