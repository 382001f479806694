package dev.stagesim.stage;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Set-ups of the virtual machine that commands run in. Stages declare which words of a command call for which; the launcher
 * reads all of them from a file that is written after each build.
 */
public enum Jvm {
    /**
     * A small nursery is touched again and again instead of a large one once: as fast, with half the resident memory. The
     * optimising compiler gets the code that stays hot for a while, and leaves the first second to the fast one. It inlines
     * little: a simulator's loop in one method took it longer to compile than most runs take, and again when it was wrong.
     */
    USUAL(48, true, "-Xmn16m -XX:FreqInlineSize=60"),

    /** Never lives long enough for the optimising compiler; what runs seldom is interpreted. */
    SHORT(48, false, "-Xmn16m -XX:CompileThresholdScaling=3"),

    /**
     * Keeps little, and is compared with a program that has no virtual machine: the heap grows only as it must, what runs
     * seldom is interpreted, and an archive of its own holds no other classes. The optimising compiler takes more processor
     * time and memory than it saves in the first ten seconds.
     */
    LEAN(16, false, "-Xmn4m -XX:MinHeapFreeRatio=25 -XX:MaxHeapFreeRatio=40 -XX:CompileThresholdScaling=4");

    /** Options, and how those of one letter begin, by which a run may ask for more than its words say. */
    private static final List<String> SET_ELSEWHERE = List.of(" -m", " --multirun", " -c", " --config");

    private final int heapMib;
    private final boolean isOptimised;
    private final String flags;

    Jvm(int heapMib, boolean isOptimised, String flags) {
        this.heapMib = heapMib;
        this.isOptimised = isOptimised;
        this.flags = flags;
    }

    /**
     * When a set-up is for a command.
     *
     * @param word a part of the command's words, between blanks for a whole word, with the shell's patterns; empty for all
     *     commands
     */
    public record Rule(String word, Jvm jvm) {}

    /**
     * Rules of a stage that serves requests: short up to a power of ten of them, unless they come from elsewhere, the command
     * has another of these words, or it is a sweep. The launcher adds the number of requests of the run that
     * {@code workload.dir} names.
     */
    public static List<Rule> serving(int power, String... words) {
        Stream<String> sources = Stream.of("workload.file=", "workload=catalog", "workload={", "experiment");
        List<Rule> rules = USUAL.rules(Stream.concat(Stream.concat(sources, Stream.of(words)), SET_ELSEWHERE.stream()));
        rules.add(new Rule("num_requests*" + "[0-9_]".repeat(power + 2), USUAL));
        rules.add(new Rule("num_requests=1" + "0".repeat(power) + " ", SHORT));
        rules.add(new Rule("num_requests*" + "[0-9_]".repeat(power + 1), USUAL));
        rules.add(new Rule("", SHORT));
        return rules;
    }

    /** Rules of a stage whose runs are short unless the command has one of these words, or is a sweep. */
    public static List<Rule> shortWithout(String... words) {
        List<Rule> rules = USUAL.rules(Stream.concat(Stream.of(words), SET_ELSEWHERE.stream()));
        rules.add(new Rule("", SHORT));
        return rules;
    }

    /** Rules of this set-up for each of the words, to which more can be added. */
    public List<Rule> rules(Stream<String> words) {
        return words.map(word -> new Rule(word, this)).collect(Collectors.toCollection(ArrayList::new));
    }

    /** The line of a rule: command, word, end of the archive's name, size of the heap at first, jars to add, flags. */
    public String line(String command, String word, List<String> jars) {
        String compilers = isOptimised
                ? "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000"
                        + " -XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
                : "-XX:TieredStopAtLevel=1";
        String archive = this == LEAN ? "-lean" : "";
        return String.join("|", command, word, archive, heapMib + "m", String.join(" ", jars), flags + " " + compilers);
    }
}
