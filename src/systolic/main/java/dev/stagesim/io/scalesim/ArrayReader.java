package dev.stagesim.io.scalesim;

import dev.stagesim.model.Problem;
import dev.stagesim.model.PythonText;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import dev.stagesim.sim.systolic.spec.OperandMemory;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.sim.systolic.spec.SparseSpec;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads array descriptions ({@code arch.cfg}). */
public final class ArrayReader {
    private static final int DEFAULT_QUEUE = 32;
    private static final long MAX_SEED = 0xFFFF_FFFFL;
    private static final String ARRAY = "architecture_presets";
    private static final String LAYOUT = "layout";
    private static final String SPARSITY = "sparsity";
    private static final String RUN = "run_presets";

    private final IniFile ini;
    private final ScaleSimCompat compat;
    private final List<Problem> layerProblems = new ArrayList<>();

    private ArrayReader(IniFile ini, ScaleSimCompat compat) {
        this.ini = ini;
        this.compat = compat;
    }

    /**
     * Reads a description.
     *
     * <p>Version 3 requires the sections {@code layout} and {@code sparsity}. With {@link ScaleSimCompat#NONE} they are
     * optional, and the bandwidth is calculated by default.
     */
    public static ArrayFile read(Path file, ScaleSimCompat compat) throws IOException {
        return new ArrayReader(IniFile.read(file, compat != ScaleSimCompat.NONE), compat).array();
    }

    private ArrayFile array() {
        String runName = ini.text("general", "run_name");
        int rows = ini.number(ARRAY, "ArrayHeight", 1);
        int columns = ini.number(ARRAY, "ArrayWidth", 1);
        Dataflow dataflow = dataflow();
        MemoryMode mode = mode();
        int interfaceWords = mode == MemoryMode.USER ? bandwidth() : 1;
        boolean isReplayed = mode == MemoryMode.USER
                && compat != ScaleSimCompat.V2
                && text(RUN, "UseRamulatorTrace", "").equals("True");
        int readQueue = queue("ReadRequestBuffer", isReplayed);
        int writeQueue = queue("WriteRequestBuffer", isReplayed);
        OperandMemory image = read("Ifmap", mode, interfaceWords, readQueue);
        OperandMemory filter = read("Filter", mode, interfaceWords, readQueue);
        OperandMemory output = OperandMemory.plain(
                kilobytes("Ofmap"), ini.number(ARRAY, "OfmapOffset", 0), interfaceWords, writeQueue);
        Optional<SparseSpec> sparse = sparse(rows, dataflow);
        boolean hasImageLayout = isSet(LAYOUT, "IfmapCustomLayout");
        boolean hasFilterLayout = isSet(LAYOUT, "FilterCustomLayout");
        if (compat != ScaleSimCompat.NONE && ini.sections.containsKey("network_presets")) { // the key is read elsewhere
            ini.text(ARRAY, "TopologyCsvLoc");
        }
        ini.check();
        ArraySpec array = new ArraySpec(rows, columns, dataflow, mode, image, filter, output, sparse, compat);
        return new ArrayFile(runName, array, hasImageLayout, hasFilterLayout, isReplayed, layerProblems);
    }

    /** Maximum outstanding requests. Version 3 always reads the key, but uses it only when latencies are replayed. */
    private int queue(String key, boolean isReplayed) {
        if (compat == ScaleSimCompat.V3) {
            return Math.max(1, ini.number(ARRAY, key, isReplayed ? 1 : Integer.MIN_VALUE));
        }
        return compat == ScaleSimCompat.V2 ? DEFAULT_QUEUE : ini.number(ARRAY, key, 1, DEFAULT_QUEUE);
    }

    private Dataflow dataflow() {
        String text = ini.text(ARRAY, "Dataflow");
        return switch (text) {
            case "os" -> Dataflow.OS;
            case "ws" -> Dataflow.WS;
            case "is" -> Dataflow.IS;
            default -> {
                // The reference warns and continues with output stationary.
                if (compat == ScaleSimCompat.NONE) {
                    ini.problem(ARRAY, "Dataflow", "expected os, ws or is, found '" + text + "'");
                }
                yield Dataflow.OS;
            }
        };
    }

    private MemoryMode mode() {
        String text = compat == ScaleSimCompat.NONE
                ? ini.find(RUN, "InterfaceBandwidth").orElse("CALC")
                : ini.text(RUN, "InterfaceBandwidth");
        return switch (text) {
            case "CALC" -> MemoryMode.CALC;
            case "USER" -> MemoryMode.USER;
            default -> {
                ini.problem(RUN, "InterfaceBandwidth", "expected CALC or USER, found '" + text + "'");
                yield MemoryMode.CALC;
            }
        };
    }

    private int bandwidth() {
        String text = ini.text(ARRAY, "Bandwidth");
        int first = 1;
        boolean isFirst = true;
        for (String item : text.split(",", -1)) {
            // The reference uses only the first value.
            int value = ini.parse(
                    ARRAY, "Bandwidth", item, isFirst || compat == ScaleSimCompat.NONE ? 1 : Integer.MIN_VALUE);
            first = isFirst ? value : first;
            isFirst = false;
        }
        return first;
    }

    private OperandMemory read(String operand, MemoryMode mode, int interfaceWords, int queue) {
        int kilobytes = kilobytes(operand);
        int offset = ini.number(ARRAY, operand + "Offset", 0);
        boolean isThird = compat == ScaleSimCompat.V3;
        String key = operand + "SRAMBankBandwidth";
        if (compat == ScaleSimCompat.V2 || (!isThird && ini.find(LAYOUT, key).isEmpty())) {
            return OperandMemory.plain(kilobytes, offset, interfaceWords, queue);
        }
        // Version 3 reads all three keys. It uses them in USER mode only, and the ports only for custom layouts.
        boolean isGiven = !isThird || mode == MemoryMode.USER;
        int minimum = isGiven ? 1 : Integer.MIN_VALUE;
        int words = ini.number(LAYOUT, key, minimum);
        int banks = ini.number(LAYOUT, operand + "SRAMBankNum", minimum);
        boolean hasPorts = isGiven && (!isThird || isSet(LAYOUT, operand + "CustomLayout"));
        int ports = ini.number(LAYOUT, operand + "SRAMBankPort", hasPorts ? 1 : Integer.MIN_VALUE);
        if (mode == MemoryMode.USER && words % banks != 0) {
            layerProblems.add(ini.located(
                    LAYOUT, key, "a bandwidth of " + words + " cannot be divided among " + banks + " banks"));
        }
        return new OperandMemory(kilobytes, offset, words, banks, ports, queue, Optional.empty(), Optional.empty());
    }

    /** Size of a memory; descriptions for version 1 have a key without the unit. */
    private int kilobytes(String operand) {
        String key = operand + "SramSzkB";
        String old = operand + "SramSz";
        boolean isOld = compat == ScaleSimCompat.NONE
                && ini.find(ARRAY, key).isEmpty()
                && ini.find(ARRAY, old).isPresent();
        return ini.number(ARRAY, isOld ? old : key, 1);
    }

    private boolean isSet(String section, String key) {
        if (compat == ScaleSimCompat.V2) {
            return false;
        }
        String text = text(section, key, "false");
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "1", "yes", "true", "on" -> true;
            case "0", "no", "false", "off" -> false;
            default -> {
                ini.problem(section, key, "expected true or false, found '" + text + "'");
                yield false;
            }
        };
    }

    /** Returns a value that only version 3 requires. */
    private String text(String section, String key, String byDefault) {
        return compat == ScaleSimCompat.V3
                ? ini.text(section, key)
                : ini.find(section, key).orElse(byDefault);
    }

    private Optional<SparseSpec> sparse(int rows, Dataflow dataflow) {
        if (compat == ScaleSimCompat.V2) {
            return Optional.empty();
        }
        String support = text(SPARSITY, "SparsitySupport", "false");
        if (!"true".equalsIgnoreCase(support)) {
            return Optional.empty();
        }
        SparseSpec.Format format =
                switch (ini.text(SPARSITY, "SparseRep")) {
                    case "csr" -> SparseSpec.Format.CSR;
                    case "csc" -> SparseSpec.Format.CSC;
                    case "ellpack_block" -> SparseSpec.Format.ELLPACK_BLOCK;
                    default -> {
                        ini.problem(SPARSITY, "SparseRep", "expected csr, csc or ellpack_block");
                        yield SparseSpec.Format.CSR;
                    }
                };
        boolean isOptimized = "true".equalsIgnoreCase(ini.text(SPARSITY, "OptimizedMapping"));
        int block = isOptimized ? ini.number(SPARSITY, "BlockSize", 2) : 1;
        if (isOptimized && dataflow == Dataflow.WS && 2 * rows % block != 0) {
            layerProblems.add(ini.located(
                    SPARSITY, "BlockSize", "blocks of " + block + " do not fill twice the array's height " + rows));
        }
        if (isOptimized && block > rows) {
            ini.problem(SPARSITY, "BlockSize", "a block of " + block + " is larger than the array's height " + rows);
        }
        long seed = ini.number(
                SPARSITY,
                "RandomNumberGeneratorSeed",
                isOptimized ? 0 : Long.MIN_VALUE,
                isOptimized ? MAX_SEED : Long.MAX_VALUE);
        return Optional.of(new SparseSpec(format, isOptimized, block, seed));
    }

    /** Sections with {@code key = value} or {@code key : value} lines; keys are case-insensitive. */
    private static final class IniFile {
        private static final String CATEGORY = "array description error";

        private record Entry(String value, int line) {}

        private final Path file;
        private final boolean isPython;
        private final Map<String, Map<String, Entry>> sections = new LinkedHashMap<>();
        private final List<Problem> problems = new ArrayList<>();

        private IniFile(Path file, boolean isPython) {
            this.file = file;
            this.isPython = isPython;
        }

        /**
         * Reads a description. Like Python's configparser, an indented line continues the value above, and duplicates
         * are errors.
         */
        static IniFile read(Path file, boolean isPython) throws IOException {
            IniFile ini = new IniFile(file, isPython);
            List<String> lines = TextLines.read(file, CATEGORY);
            Optional<Map<String, Entry>> section = Optional.empty();
            String key = "";
            int margin = 0;
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i).strip();
                if (line.isEmpty() || line.startsWith("#") || line.startsWith(";")) {
                    continue;
                }
                int indent = lines.get(i).indexOf(line);
                if (isPython && !key.isEmpty() && indent > margin) {
                    section.orElseThrow()
                            .computeIfPresent(
                                    key, (name, entry) -> new Entry(entry.value() + "\n" + line, entry.line()));
                    continue;
                }
                margin = indent;
                int end = line.lastIndexOf(']');
                if (line.startsWith("[") && (isPython ? end > 1 : line.endsWith("]"))) {
                    String name = line.substring(1, end);
                    if (isPython && !name.equals("DEFAULT") && ini.sections.containsKey(name)) {
                        ini.problems.add(Problem.of(CATEGORY, file + ":" + (i + 1), "a second section " + line));
                    }
                    section = Optional.of(ini.sections.computeIfAbsent(name, any -> new LinkedHashMap<>()));
                    key = "";
                } else {
                    key = ini.entry(section, line, i + 1).orElse(key);
                }
            }
            ini.check();
            return ini;
        }

        private Optional<String> entry(Optional<Map<String, Entry>> section, String line, int number) {
            int at = separator(line);
            if (section.isEmpty() || at <= 0) {
                String what = section.isEmpty() ? "a line before the first [section]" : "expected key = value";
                problems.add(Problem.of(CATEGORY, file + ":" + number, what + ": '" + line + "'"));
                return Optional.empty();
            }
            String key = line.substring(0, at).strip().toLowerCase(Locale.ROOT);
            Entry entry = new Entry(line.substring(at + 1).strip(), number);
            if (section.get().put(key, entry) != null) {
                problems.add(Problem.of(CATEGORY, file + ":" + number, "a second '" + key + "' in its section"));
            }
            return Optional.of(key);
        }

        private static int separator(String line) {
            int colon = line.indexOf(':');
            int equals = line.indexOf('=');
            return colon < 0 || equals < 0 ? Math.max(colon, equals) : Math.min(colon, equals);
        }

        /** Reports all problems found up to now, if any. */
        void check() {
            StageException.refuse(problems.stream().distinct().toList());
        }

        /** Returns an optional value. */
        Optional<String> find(String section, String key) {
            Optional<String> value = entry(section, key).map(Entry::value);
            if (isPython && value.orElse("").replace("%%", "").contains("%")) {
                problem(section, key, "expected no reference to another value; write %% for a percent sign");
            }
            return isPython ? value.map(text -> text.replace("%%", "%")) : value;
        }

        private Optional<Entry> entry(String section, String key) {
            String name = key.toLowerCase(Locale.ROOT);
            Optional<Map<String, Entry>> keys = Optional.ofNullable(sections.get(section));
            Map<String, Entry> shared = isPython ? sections.getOrDefault("DEFAULT", Map.of()) : Map.of();
            return keys.flatMap(
                    own -> Optional.ofNullable(own.get(name)).or(() -> Optional.ofNullable(shared.get(name))));
        }

        /** Returns a required value. A missing value is reported by {@link #check}, and the result is then empty. */
        String text(String section, String key) {
            Optional<String> value = find(section, key);
            if (value.isEmpty()) {
                String what = sections.containsKey(section)
                        ? "section [" + section + "] lacks key '" + key + "'"
                        : "there is no section [" + section + "] for '" + key + "'";
                problems.add(Problem.of(CATEGORY, file.toString(), what));
            }
            return value.orElse("");
        }

        /** Returns an integer of at least {@code minimum}. */
        int number(String section, String key, int minimum) {
            return parse(section, key, text(section, key), minimum);
        }

        long number(String section, String key, long minimum, long maximum) {
            return parse(section, key, text(section, key), minimum, maximum);
        }

        int number(String section, String key, int minimum, int byDefault) {
            return find(section, key)
                    .map(text -> parse(section, key, text, minimum))
                    .orElse(byDefault);
        }

        int parse(String section, String key, String text, int minimum) {
            return (int) parse(section, key, text, minimum, Integer.MAX_VALUE);
        }

        private long parse(String section, String key, String text, long minimum, long maximum) {
            // Parse integers like Python, because the files are written for Python.
            Optional<BigInteger> value = PythonText.integer(text).filter(each -> each.bitLength() < Long.SIZE);
            if (value.isPresent()
                    && value.get().longValue() >= minimum
                    && value.get().longValue() <= maximum) {
                return value.get().longValue();
            }
            String range = minimum > Integer.MIN_VALUE ? " of at least " + minimum : "";
            problem(section, key, "expected a whole number" + range + ", found '" + text + "'");
            return minimum;
        }

        void problem(String section, String key, String what) {
            if (entry(section, key).isPresent()) { // a missing value has been reported
                problems.add(located(section, key, what));
            }
        }

        Problem located(String section, String key, String what) {
            String where =
                    entry(section, key).map(found -> file + ":" + found.line()).orElse(file.toString());
            return Problem.of(CATEGORY, where, key + ": " + what);
        }
    }
}
