package dev.stagesim.io.bundle;

import dev.stagesim.model.PathPart;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Selection of rows from a bundle.
 *
 * @param device slug of the hardware card's name; a matching folder is equal to it or a prefix of it
 * @param tensorParallel devices that share a layer
 * @param pipelineStages pipeline stages
 * @param blockSize KV-cache block size of the attention rows
 * @param hostOverheads true to read host overheads
 */
public record BundleRequest(
        ModelCard model,
        String device,
        Folders folders,
        int tensorParallel,
        int pipelineStages,
        int blockSize,
        boolean hostOverheads,
        Cells cells) {
    private static final int DEFAULT_BLOCK_SIZE = 16;

    /**
     * Folder names that do not follow from the names of the cards.
     *
     * @param device folder below {@code compute/}; empty for the one that matches the hardware card
     * @param model folder below the device; empty for the model card's name
     * @param network folder below {@code network/}; empty for the only one that matches the hardware card
     */
    record Folders(Optional<String> device, Optional<String> model, Optional<String> network) {
        static final Folders BY_NAME = new Folders(Optional.empty(), Optional.empty(), Optional.empty());
    }

    /**
     * Interpretation of rows.
     *
     * @param vocabSize vocabulary of the rows, or empty for any, because no predicted time depends on it
     * @param vidurRules true to read cells as Vidur does: empty cells are zero for optional operators and otherwise an
     *     error; numbers can differ from the nearest double in the last bit
     * @param means true to use the mean time of a row, false for its median
     * @param transfers true to read times of transfers between devices, if the request needs them
     */
    record Cells(OptionalInt vocabSize, boolean vidurRules, boolean means, boolean transfers) {}

    /** Returns a request for one device with defaults. */
    public static BundleRequest of(ModelCard model, HardwareCard hardware) {
        return of(model, PathPart.slug(hardware.name()));
    }

    /** Returns a request for one device, given by the slug of its hardware card. */
    public static BundleRequest of(ModelCard model, String device) {
        Cells plain = new Cells(OptionalInt.empty(), false, false, true);
        return new BundleRequest(model, device, Folders.BY_NAME, 1, 1, DEFAULT_BLOCK_SIZE, false, plain);
    }

    public BundleRequest onDevices(int tensorParallelSize, int numPipelineStages) {
        return new BundleRequest(
                model, device, folders, tensorParallelSize, numPipelineStages, blockSize, hostOverheads, cells);
    }

    public BundleRequest withBlockSize(int size) {
        return new BundleRequest(model, device, folders, tensorParallel, pipelineStages, size, hostOverheads, cells);
    }

    public BundleRequest withHostOverheads(boolean enabled) {
        return new BundleRequest(model, device, folders, tensorParallel, pipelineStages, blockSize, enabled, cells);
    }

    /** Sets folder names that do not follow from the names of the cards. */
    public BundleRequest in(Optional<String> deviceName, Optional<String> modelName, Optional<String> networkName) {
        Folders named = new Folders(deviceName, modelName, networkName);
        return new BundleRequest(model, device, named, tensorParallel, pipelineStages, blockSize, hostOverheads, cells);
    }

    private BundleRequest reading(Cells other) {
        return new BundleRequest(
                model, device, folders, tensorParallel, pipelineStages, blockSize, hostOverheads, other);
    }

    /** Reads as Vidur does, for the vocabulary in its model table. */
    public BundleRequest asVidur(int vocabulary) {
        return reading(new Cells(OptionalInt.of(vocabulary), true, cells.means(), cells.transfers()));
    }

    /** Reads numbers and empty cells as Vidur does, for any vocabulary. */
    public BundleRequest withVidurRules(boolean enabled) {
        return reading(new Cells(cells.vocabSize(), enabled, cells.means(), cells.transfers()));
    }

    /** Uses mean times instead of medians if {@code enabled}. */
    public BundleRequest withMeans(boolean enabled) {
        return reading(new Cells(cells.vocabSize(), cells.vidurRules(), enabled, cells.transfers()));
    }

    /** Omits times of transfers between devices. */
    public BundleRequest withoutTransfers() {
        return reading(new Cells(cells.vocabSize(), cells.vidurRules(), cells.means(), false));
    }

    boolean needsAllReduce() {
        return cells.transfers() && tensorParallel > 1;
    }

    boolean needsSendRecv() {
        return cells.transfers() && pipelineStages > 1;
    }
}
