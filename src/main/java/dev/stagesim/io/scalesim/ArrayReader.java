package dev.stagesim.io.scalesim;

import dev.stagesim.sim.systolic.ArraySpec;
import dev.stagesim.sim.systolic.Compat;
import dev.stagesim.sim.systolic.Dataflow;
import dev.stagesim.sim.systolic.MemoryMode;
import dev.stagesim.sim.systolic.OperandMemory;
import dev.stagesim.sim.systolic.SparseSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads array descriptions ({@code arch.cfg}). */
public final class ArrayReader {
    private static final String ARRAY = "architecture_presets";
    private static final String LAYOUT = "layout";
    private static final String SPARSITY = "sparsity";
    private static final String RUN = "run_presets";

    private final IniFile ini;
    private final Compat compat;

    private ArrayReader(IniFile ini, Compat compat) {
        this.ini = ini;
        this.compat = compat;
    }

    /**
     * Reads a description.
     *
     * <p>Version 3 requires the sections {@code layout} and {@code sparsity}; with {@link Compat#NONE} they may be left
     * out, and the interface's bandwidth is calculated unless the description says otherwise.
     *
     * @throws dev.stagesim.model.StageException of kind input that names every wrong line
     */
    public static ArrayFile read(Path file, Compat compat) throws IOException {
        return new ArrayReader(IniFile.read(file), compat).array();
    }

    private ArrayFile array() {
        String runName = ini.text("general", "run_name");
        int rows = ini.number(ARRAY, "ArrayHeight", 1);
        int columns = ini.number(ARRAY, "ArrayWidth", 1);
        Dataflow dataflow = dataflow();
        MemoryMode mode = mode();
        int interfaceWords = mode == MemoryMode.USER ? bandwidth() : 1;
        OperandMemory image = read("Ifmap", mode, interfaceWords);
        OperandMemory filter = read("Filter", mode, interfaceWords);
        OperandMemory output =
                OperandMemory.plain(kilobytes("Ofmap"), ini.number(ARRAY, "OfmapOffset", 0), interfaceWords);
        boolean isThird = compat == Compat.V3;
        int readQueue =
                isThird ? ini.number(ARRAY, "ReadRequestBuffer", 1) : ini.number(ARRAY, "ReadRequestBuffer", 1, 32);
        int writeQueue =
                isThird ? ini.number(ARRAY, "WriteRequestBuffer", 1) : ini.number(ARRAY, "WriteRequestBuffer", 1, 32);
        Optional<SparseSpec> sparse = sparse(rows, dataflow);
        boolean hasImageLayout = isSet(LAYOUT, "IfmapCustomLayout");
        boolean hasFilterLayout = isSet(LAYOUT, "FilterCustomLayout");
        boolean isReplayed = compat != Compat.V2 && replay();
        ini.check();
        ArraySpec array = new ArraySpec(
                rows,
                columns,
                dataflow,
                mode,
                image,
                filter,
                output,
                readQueue,
                writeQueue,
                sparse,
                Optional.empty(),
                Optional.empty(),
                compat);
        boolean isGiven = mode == MemoryMode.USER;
        return new ArrayFile(
                runName, array, isGiven && hasImageLayout, isGiven && hasFilterLayout, isGiven && isReplayed);
    }

    private Dataflow dataflow() {
        String text = ini.text(ARRAY, "Dataflow");
        return switch (text) {
            case "os", "" -> Dataflow.OS;
            case "ws" -> Dataflow.WS;
            case "is" -> Dataflow.IS;
            default -> {
                // The reference warns and goes on as output stationary.
                if (compat == Compat.NONE) {
                    ini.problem(ARRAY, "Dataflow", "expected os, ws or is, found '" + text + "'");
                }
                yield Dataflow.OS;
            }
        };
    }

    private MemoryMode mode() {
        String text = compat == Compat.NONE
                ? ini.find(RUN, "InterfaceBandwidth").orElse("CALC")
                : ini.text(RUN, "InterfaceBandwidth");
        return switch (text) {
            case "CALC", "" -> MemoryMode.CALC;
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
        for (String item : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            int value = ini.parse(ARRAY, "Bandwidth", item, 1);
            first = isFirst ? value : first;
            isFirst = false;
        }
        return first;
    }

    private OperandMemory read(String operand, MemoryMode mode, int interfaceWords) {
        int kilobytes = kilobytes(operand);
        int offset = ini.number(ARRAY, operand + "Offset", 0);
        boolean isThird = compat == Compat.V3;
        String key = operand + "SRAMBankBandwidth";
        if (compat == Compat.V2 || (!isThird && ini.find(LAYOUT, key).isEmpty())) {
            return OperandMemory.plain(kilobytes, offset, interfaceWords);
        }
        int words = ini.number(LAYOUT, key, 1);
        int banks = ini.number(LAYOUT, operand + "SRAMBankNum", 1);
        int ports = ini.number(LAYOUT, operand + "SRAMBankPort", 1);
        if (mode == MemoryMode.USER && words % banks != 0) {
            ini.problem(LAYOUT, key, "a bandwidth of " + words + " cannot be divided among " + banks + " banks");
        }
        return new OperandMemory(kilobytes, offset, words, banks, ports, List.of(), false);
    }

    /** Size of a memory; descriptions for the first version leave the unit out of the key. */
    private int kilobytes(String operand) {
        String key = operand + "SramSzkB";
        String old = operand + "SramSz";
        boolean isOld = compat == Compat.NONE
                && ini.find(ARRAY, key).isEmpty()
                && ini.find(ARRAY, old).isPresent();
        return ini.number(ARRAY, isOld ? old : key, 1);
    }

    private boolean isSet(String section, String key) {
        if (compat == Compat.V2) {
            return false;
        }
        String text = compat == Compat.V3
                ? ini.text(section, key)
                : ini.find(section, key).orElse("false");
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "1", "yes", "true", "on" -> true;
            case "0", "no", "false", "off", "" -> false;
            default -> {
                ini.problem(section, key, "expected true or false, found '" + text + "'");
                yield false;
            }
        };
    }

    private boolean replay() {
        String text = compat == Compat.V3
                ? ini.text(RUN, "UseRamulatorTrace")
                : ini.find(RUN, "UseRamulatorTrace").orElse("");
        return "True".equals(text);
    }

    private Optional<SparseSpec> sparse(int rows, Dataflow dataflow) {
        if (compat == Compat.V2) {
            return Optional.empty();
        }
        String support = compat == Compat.V3
                ? ini.text(SPARSITY, "SparsitySupport")
                : ini.find(SPARSITY, "SparsitySupport").orElse("false");
        if (!"true".equalsIgnoreCase(support)) {
            return Optional.empty();
        }
        SparseSpec.Format format =
                switch (ini.text(SPARSITY, "SparseRep")) {
                    case "csr" -> SparseSpec.Format.CSR;
                    case "csc" -> SparseSpec.Format.CSC;
                    case "ellpack_block", "" -> SparseSpec.Format.ELLPACK_BLOCK;
                    default -> {
                        ini.problem(SPARSITY, "SparseRep", "expected csr, csc or ellpack_block");
                        yield SparseSpec.Format.CSR;
                    }
                };
        boolean isOptimized = "true".equalsIgnoreCase(ini.text(SPARSITY, "OptimizedMapping"));
        int block = isOptimized ? ini.number(SPARSITY, "BlockSize", 2) : 1;
        if (isOptimized && dataflow == Dataflow.WS && 2 * rows % block != 0) {
            ini.problem(SPARSITY, "BlockSize", "blocks of " + block + " do not fill twice the array's height " + rows);
        }
        if (isOptimized && block > rows) {
            ini.problem(SPARSITY, "BlockSize", "a block of " + block + " is larger than the array's height " + rows);
        }
        int seed = ini.number(SPARSITY, "RandomNumberGeneratorSeed", 0);
        return Optional.of(new SparseSpec(format, isOptimized, block, seed));
    }
}
