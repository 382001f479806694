package dev.stagesim.predict;

import java.util.Optional;

/** Operator times derived from others; a method that is not overridden forwards to them. */
public interface ForwardingTimes extends OperatorTimes {
    OperatorTimes operators();

    @Override
    default double milliseconds(Operator operator, int count) {
        return operators().milliseconds(operator, count);
    }

    @Override
    default double decodeMilliseconds(int batch, int kvTokens) {
        return operators().decodeMilliseconds(batch, kvTokens);
    }

    @Override
    default double prefillMilliseconds(int kvTokens, int chunkTokens) {
        return operators().prefillMilliseconds(kvTokens, chunkTokens);
    }

    @Override
    default double addedPrefillMilliseconds(int kvTokens, int chunkTokens) {
        return operators().addedPrefillMilliseconds(kvTokens, chunkTokens);
    }

    @Override
    default double prefillKernelMilliseconds() {
        return operators().prefillKernelMilliseconds();
    }

    @Override
    default Optional<WholeStep> wholeStep() {
        return operators().wholeStep();
    }

    @Override
    default Optional<DraftTimes> drafts() {
        return operators().drafts();
    }

    @Override
    default int revision() {
        return operators().revision();
    }

    @Override
    default Optional<SharedLayers> sharedLayers() {
        return operators().sharedLayers();
    }

    @Override
    default Coverage coverage() {
        return operators().coverage();
    }
}
