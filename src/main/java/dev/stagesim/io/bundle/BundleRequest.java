package dev.stagesim.io.bundle;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.PathPart;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a reader wants from a bundle.
 *
 * @param device slug of the hardware card's name; a folder fits when it equals it or is its beginning
 * @param tensorParallel devices a layer is split over
 * @param pipelineStages devices the layers are split over
 * @param blockSize KV-cache block size of the attention rows
 * @param hostOverheads whether host overheads are wanted
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
    private static final int USUAL_BLOCK = 16;

    /**
     * Folders, where the cards' names do not lead to them.
     *
     * @param device below {@code compute/}; empty for the one that fits the hardware card
     * @param model below the device; empty for the model card's name
     * @param network below {@code network/}; empty for the only one that fits the hardware card
     */
    public record Folders(Optional<String> device, Optional<String> model, Optional<String> network) {
        static final Folders BY_NAME = new Folders(Optional.empty(), Optional.empty(), Optional.empty());
    }

    /**
     * How rows are read.
     *
     * @param vocabSize vocabulary of the rows; empty for any, because no predicted time depends on it
     * @param vidurRules whether cells are read as Vidur reads them: empty ones are zero for the operators it may miss and
     *     else an error; numbers may differ from the nearest double in the last bit
     * @param means whether a row's time is its mean; else its median
     */
    public record Cells(OptionalInt vocabSize, boolean vidurRules, boolean means) {}

    /** A request on one device with nothing out of the ordinary. */
    public static BundleRequest of(ModelCard model, HardwareCard hardware) {
        return of(model, PathPart.slug(hardware.name()));
    }

    /** The same by the slug of the hardware card's name. */
    public static BundleRequest of(ModelCard model, String device) {
        Cells plain = new Cells(OptionalInt.empty(), false, false);
        return new BundleRequest(model, device, Folders.BY_NAME, 1, 1, USUAL_BLOCK, false, plain);
    }

    public BundleRequest onDevices(int tensorParallelSize, int numPipelineStages) {
        return new BundleRequest(
                model, device, folders, tensorParallelSize, numPipelineStages, blockSize, hostOverheads, cells);
    }

    public BundleRequest withBlockSize(int size) {
        return new BundleRequest(model, device, folders, tensorParallel, pipelineStages, size, hostOverheads, cells);
    }

    public BundleRequest withHostOverheads(boolean wanted) {
        return new BundleRequest(model, device, folders, tensorParallel, pipelineStages, blockSize, wanted, cells);
    }

    /** Names folders where the cards' names do not lead to them. */
    public BundleRequest in(Optional<String> deviceName, Optional<String> modelName, Optional<String> networkName) {
        Folders named = new Folders(deviceName, modelName, networkName);
        return new BundleRequest(model, device, named, tensorParallel, pipelineStages, blockSize, hostOverheads, cells);
    }

    private BundleRequest reading(Cells other) {
        return new BundleRequest(
                model, device, folders, tensorParallel, pipelineStages, blockSize, hostOverheads, other);
    }

    /** Reads as Vidur does, for a vocabulary as its own model table has it. */
    public BundleRequest asVidur(int vocabulary) {
        return reading(new Cells(OptionalInt.of(vocabulary), true, cells.means()));
    }

    /** Reads numbers and empty cells as Vidur does, for any vocabulary. */
    public BundleRequest withVidurRules(boolean wanted) {
        return reading(new Cells(cells.vocabSize(), wanted, cells.means()));
    }

    /** Takes a row's mean for its time, or its median. */
    public BundleRequest withMeans(boolean wanted) {
        return reading(new Cells(cells.vocabSize(), cells.vidurRules(), wanted));
    }

    boolean needsAllReduce() {
        return tensorParallel > 1;
    }

    boolean needsSendRecv() {
        return pipelineStages > 1;
    }
}
