package dev.stagesim.cli;

import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.OptionalTool;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.RunCatalog;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints, queries or converts a table of a run. */
@Command(
        name = "table",
        description = "Filter, sort, group, summarise, pivot, join and describe the tables of a run or a sweep.",
        footer = {
            "",
            "Conditions: COLUMN OP VALUE with =, !=, <, <=, >, >= or ~ (a regular expression); an empty value matches"
                    + " empty cells.",
            "Aggregates: count, and sum, mean, std, min, max, median, p90, p95, p99 of a column, for example"
                    + " p99(ttft_ns).",
            "Order: join, filter (--where), group or pivot or describe, sort, columns, limit.",
            "",
            "Example: stage table RUN request_metrics --where 'ttft_ns>5e8' --sort -ttft_ns --limit 10"
        })
final class TableCommand extends Subcommand {
    @Parameters(index = "0", paramLabel = "RUN", description = "Run id, its unique beginning, or a directory.")
    private String run = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "TABLE", description = "Table; without it they are listed.")
    private @Nullable String table;

    @Option(names = "--where", paramLabel = "CONDITION", description = "Keep rows that meet the condition; repeatable.")
    private List<String> where = List.of();

    @Option(names = "--group", split = ",", paramLabel = "COLUMN", description = "Group by these columns.")
    private List<String> group = List.of();

    @Option(
            names = "--summarise",
            split = ",",
            paramLabel = "AGGREGATE",
            description = "Aggregates of each group, or of all rows without --group.")
    private List<String> summarise = List.of();

    @Option(
            names = "--pivot",
            split = ",",
            paramLabel = "ROWS,COLUMNS,AGGREGATE",
            description = "One row per value of the first column, one column per value of the second.")
    private List<String> pivot = List.of();

    @Option(
            names = "--join",
            paramLabel = "RUN[:TABLE]",
            description = "Join with this table, the same one by default.")
    private @Nullable String join;

    @Option(names = "--on", split = ",", paramLabel = "COLUMN", description = "Columns to join on.")
    private List<String> on = List.of();

    @Option(names = "--describe", description = "Print count, mean and percentiles of each column.")
    private boolean describe;

    @Option(
            names = "--sort",
            split = ",",
            paramLabel = "COLUMN",
            description = "Sort; descending with a leading minus.")
    private List<String> sort = List.of();

    @Option(names = "--columns", split = ",", paramLabel = "COLUMN", description = "Print only these columns.")
    private List<String> columns = List.of();

    @Option(names = "--limit", paramLabel = "N", description = "Print at most N rows.")
    private @Nullable Long limit;

    private static final long NO_LIMIT = -1;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "TEXT",
            description = "text, csv, json, md or parquet.")
    private TableTool.Format format = TableTool.Format.TEXT;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write to this file instead of stdout.")
    private @Nullable Path output;

    @Override
    public Integer call() throws IOException {
        TableTool tool = OptionalTool.load(TableTool.class, "table", "stagesim-table.jar");
        Path dir = directory(run);
        if (table == null) {
            if (hasQuery()) {
                throw usage(
                        "TABLE",
                        "is missing, so no option has an effect; './stage table " + run + "' lists the tables");
            }
            List<String> tables = tool.tables(dir);
            if (tables.isEmpty()) {
                throw StageException.input(Problem.of("artifact error", run, "the directory has no tables")
                        .hint("give the directory of a run or a sweep"));
            }
            tables.forEach(console()::result);
            return ExitCode.DONE;
        }
        check();
        TableTool.NamedTable named = tool.find(dir, table);
        if (named.column().isPresent() && columns.isEmpty()) {
            console().warn("'" + table + "' is a column of " + named.table());
            columns = List.of(table);
        }
        TableTool.Query query = new TableTool.Query(
                dir,
                named.table(),
                other(named.table()),
                where,
                new TableTool.Summary(group, summarise, pivot, describe),
                sort,
                columns,
                limit == null ? NO_LIMIT : limit,
                format);
        if (output == null) {
            tool.answer(query, console().out());
        } else {
            write(tool, query, output);
        }
        return ExitCode.DONE;
    }

    private boolean hasQuery() {
        return Stream.of(where, group, summarise, pivot, on, sort, columns).anyMatch(given -> !given.isEmpty())
                || Stream.of(join, limit, output).anyMatch(Objects::nonNull)
                || describe
                || format != TableTool.Format.TEXT;
    }

    private void check() {
        if ((join == null) != on.isEmpty()) {
            throw usage(join == null ? "--on" : "--join", "--join RUN[:TABLE] and --on COLUMN belong together");
        }
        if (format == TableTool.Format.PARQUET && output == null) {
            throw usage("--format parquet", "set --output FILE, because the format is binary");
        }
        if (!group.isEmpty() && summarise.isEmpty()) {
            throw usage("--group", "needs --summarise, for example --summarise count,mean(COLUMN),p99(COLUMN)");
        }
        if (!pivot.isEmpty() && pivot.size() != 3) {
            throw usage("--pivot", "expected a row column, a column and an aggregate");
        }
        for (List<String> names : List.of(group, summarise, columns, on)) {
            names.stream()
                    .filter(name -> Collections.frequency(names, name) > 1)
                    .findFirst()
                    .ifPresent(twice -> {
                        throw usage(twice, "is named twice");
                    });
        }
        if (!pivot.isEmpty() && pivot.get(0).equals(pivot.get(1))) {
            throw usage("--pivot", "rows and columns are both of " + pivot.get(0) + ", expected two columns");
        }
        if (limit != null && limit < 0) {
            throw usage("--limit", "is " + limit + ", expected 0 or more");
        }
        if (output != null && Files.isDirectory(Home.work().resolve(output))) {
            throw usage("--output", output + " is a directory, expected a file");
        }
        int shapes = (summarise.isEmpty() ? 0 : 1) + (pivot.isEmpty() ? 0 : 1) + (describe ? 1 : 0);
        if (shapes > 1) {
            throw usage("--summarise", "choose one of --summarise, --pivot and --describe");
        }
    }

    private static StageException usage(String option, String what) {
        return StageException.input(Problem.usage(option, what).hint("./stage table --help"));
    }

    private Optional<TableTool.Join> other(String same) throws IOException {
        if (join == null) {
            return Optional.empty();
        }
        int colon = join.lastIndexOf(':');
        String other = colon < 0 ? join : join.substring(0, colon);
        String name = colon < 0 ? same : join.substring(colon + 1);
        return Optional.of(new TableTool.Join(directory(other), name, on));
    }

    /** Returns the given directory, or the directory of the named run. */
    private static Path directory(String text) throws IOException {
        Path dir = Home.work().resolve(text);
        return Files.isDirectory(dir)
                ? dir
                : new RunCatalog(Home.work()).find(text).dir();
    }

    /** Writes atomically, so that a failed query leaves no file. */
    private static void write(TableTool tool, TableTool.Query query, Path file) throws IOException {
        Path target = Home.work().resolve(file);
        Path partial = target.resolveSibling("." + target.getFileName() + ".partial");
        try {
            if (query.format() == TableTool.Format.PARQUET) {
                tool.pack(query, partial);
            } else {
                try (BufferedWriter out = Files.newBufferedWriter(partial)) {
                    tool.answer(query, (Writer) out);
                }
            }
            Files.move(partial, target, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(partial);
        }
    }
}
