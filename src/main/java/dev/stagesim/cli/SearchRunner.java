package dev.stagesim.cli;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.LauncherSettings;
import dev.stagesim.sweep.search.Candidate;
import dev.stagesim.sweep.search.Search;
import dev.stagesim.sweep.search.SearchResult;
import dev.stagesim.sweep.search.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Runs a search and says who won, and why the others did not. */
record SearchRunner(Console console, RunOptionsMixin options, Progress progress, String stage) {
    private static final int MOST_SHOWN = 25;

    /** Refuses what a search leaves unread: it runs on threads of this process or on Spark, and {@code jobs} are the sweeper's. */
    static void refuse(List<String> words, LauncherSettings launcher, RunOptionsMixin options) {
        Usage.apart("--fail-fast", options.failFast, "a sweeper that searches", true);
        List<Problem> problems = words.stream()
                .filter(word -> !(launcher instanceof LauncherSettings.Spark))
                .filter(word -> word.startsWith("launcher") && !word.equals("launcher=local"))
                .map(word -> Problem.usage(word, "has no effect on a search, whose simulations follow one another")
                        .note("expected", "launcher=local or launcher=spark")
                        .hint("sweeper.jobs says on how many threads"))
                .toList();
        StageException.refuse(problems);
    }

    int run(Search search, List<Candidate> candidates) {
        if (options.dryRun) {
            candidates.forEach(one -> console.result("#" + one.num() + "  " + String.join(" ", one.overrides())
                    + one.refused().map(why -> "  refused: " + why).orElse("")));
            return ExitCode.DONE;
        }
        progress.simulated(0);
        SearchResult result = search.run(candidates, options.force, progress::simulated);
        progress.searched();
        print(result);
        return result.winners().isEmpty() ? ExitCode.CHECK : ExitCode.DONE;
    }

    private void print(SearchResult result) {
        console.say(String.format(
                Locale.ROOT,
                "search         %s  %d simulations in %.1f s%s",
                Home.shown(result.dir()),
                result.simulations(),
                result.seconds(),
                result.found() == 0 ? "" : ", " + result.found() + " of them kept from before"));
        List<Verdict> sorted = new ArrayList<>(result.verdicts());
        sorted.sort(Comparator.comparing(Verdict::rank));
        List<List<String>> overrides =
                sorted.stream().map(one -> one.candidate().overrides()).toList();
        for (Verdict one : sorted.subList(0, Math.min(MOST_SHOWN, sorted.size()))) {
            String rank = one.rank().text().replace('_', ' ');
            console.say(
                    "  #" + one.candidate().num() + "  " + (one.rank() == Verdict.Rank.WON ? rank : console.dim(rank))
                            + "  " + SweepTable.label(one.candidate().overrides(), overrides) + "  " + one.why());
        }
        if (sorted.size() > MOST_SHOWN) {
            console.say("  ... and " + (sorted.size() - MOST_SHOWN) + " more in candidates.csv");
        }
        if (result.winners().isEmpty()) {
            console.say("no candidate does what is asked");
        } else {
            console.say("run it: ./stage " + stage + " --config-snapshot DIR, DIR being what is printed below");
        }
        if (options.json) {
            console.result(Json.compact(JsonValue.object()
                    .put("search_id", result.id())
                    .put("search_dir", Home.shown(result.dir()))
                    .put("simulations", result.simulations())
                    .put(
                            "configs",
                            JsonValue.strings(
                                    result.configs().stream().map(Home::shown).toList()))
                    .build()));
        } else {
            result.configs().forEach(dir -> console.result(Home.shown(dir)));
        }
    }
}
