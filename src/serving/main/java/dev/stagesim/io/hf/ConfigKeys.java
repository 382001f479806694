package dev.stagesim.io.hf;

import java.util.Optional;

/** Widths and counts in config.json, with one component per spelling. */
final class ConfigKeys {
    private ConfigKeys() {}

    /** Sizes of the whole model. */
    record Sizes(
            Optional<Integer> hiddenSize,
            Optional<Integer> nEmbd,
            Optional<Integer> dModel,
            Optional<Integer> numHiddenLayers,
            Optional<Integer> nLayer,
            Optional<Integer> numLayers,
            Optional<Integer> nLayers,
            Optional<Integer> numNextnPredictLayers,
            Optional<Integer> mtpNumHiddenLayers,
            Optional<Integer> numMtpModules,
            Optional<Integer> vocabSize,
            Optional<Boolean> tieWordEmbeddings) {
        Optional<Integer> hidden() {
            return first(hiddenSize, nEmbd, dModel);
        }

        Optional<Integer> predicting() {
            return first(numNextnPredictLayers, mtpNumHiddenLayers, numMtpModules);
        }

        Optional<Integer> layers() {
            return first(numHiddenLayers, nLayer, numLayers, nLayers);
        }
    }

    /** Maximum context length. */
    record Contexts(
            Optional<Integer> maxPositionEmbeddings,
            Optional<Integer> nPositions,
            Optional<Integer> maxSequenceLength,
            Optional<Integer> maxSeqLen,
            Optional<Integer> modelMaxLength,
            Optional<Integer> seqLength,
            Optional<Integer> nCtx) {
        Optional<Integer> longest() {
            return first(
                    maxPositionEmbeddings, nPositions, maxSequenceLength, maxSeqLen, modelMaxLength, seqLength, nCtx);
        }
    }

    /** Heads of attention. */
    record Heads(
            Optional<Integer> numAttentionHeads,
            Optional<Integer> nHead,
            Optional<Integer> numHeads,
            Optional<Integer> nHeads,
            Optional<Integer> numKeyValueHeads,
            Optional<Integer> numKvHeads,
            Optional<Integer> nHeadKv,
            Optional<Boolean> multiQuery,
            Optional<Integer> headDim,
            Optional<Integer> attentionHeadDim,
            Optional<Integer> kvChannels,
            Optional<Integer> vHeadDim) {
        Optional<Integer> queries() {
            return first(numAttentionHeads, nHead, numHeads, nHeads);
        }

        Optional<Integer> keys() {
            return first(numKeyValueHeads, numKvHeads, nHeadKv);
        }

        Optional<Integer> width() {
            return first(headDim, attentionHeadDim, kvChannels);
        }
    }

    /** Ranks and widths of latent attention. */
    record Latent(
            Optional<Integer> qLoraRank,
            Optional<Integer> kvLoraRank,
            Optional<Integer> qkNopeHeadDim,
            Optional<Integer> qkRopeHeadDim) {}

    /** Heads of windowed or full layers if the two differ. */
    record OtherHeads(
            Optional<Integer> swaNumAttentionHeads,
            Optional<Integer> swaNumKeyValueHeads,
            Optional<Integer> swaHeadDim,
            Optional<Integer> swaVHeadDim,
            Optional<Integer> globalHeadDim,
            Optional<Integer> numGlobalKeyValueHeads,
            Optional<Boolean> attentionKEqV) {}

    /** Widths of feed-forward parts. */
    record Feed(
            Optional<Integer> intermediateSize,
            Optional<Integer> nInner,
            Optional<Integer> ffnHiddenSize,
            Optional<Integer> ffnDim,
            Optional<Integer> intermediateSizeMlp,
            Optional<Integer> denseIntermediateSize,
            Optional<Integer> moeIntermediateSize,
            Optional<Integer> moeFfnHiddenSize,
            Optional<Integer> expertIntermediateSize,
            Optional<Integer> moeLatentSize,
            Optional<Integer> routedExpertHiddenSize) {
        Optional<Integer> plain() {
            return first(intermediateSize, nInner, ffnHiddenSize, ffnDim);
        }

        Optional<Integer> expert() {
            return first(moeIntermediateSize, moeFfnHiddenSize, expertIntermediateSize);
        }

        Optional<Integer> latent() {
            return first(moeLatentSize, routedExpertHiddenSize);
        }
    }

    /** Numbers of experts. */
    record Experts(
            Optional<Integer> numLocalExperts,
            Optional<Integer> numExperts,
            Optional<Integer> nRoutedExperts,
            Optional<Integer> moeNumExperts,
            Optional<Integer> numExpertsPerTok,
            Optional<Integer> numExpertsPerToken,
            Optional<Integer> expertsPerToken,
            Optional<Integer> topKExperts,
            Optional<Integer> moeTopk,
            Optional<Integer> moeTopK,
            Optional<Integer> moeK) {
        Optional<Integer> routed() {
            return first(numLocalExperts, numExperts, nRoutedExperts, moeNumExperts)
                    .filter(count -> count > 1);
        }

        Optional<Integer> perToken() {
            return first(numExpertsPerTok, numExpertsPerToken, expertsPerToken, topKExperts, moeTopk, moeTopK, moeK);
        }
    }

    /** Experts that process every token. */
    record Shared(
            Optional<Integer> nSharedExperts,
            Optional<Integer> numSharedExperts,
            Optional<Integer> moeNumSharedExperts,
            Optional<Integer> numSharedExpert,
            Optional<Integer> sharedExpertIntermediateSize,
            Optional<Integer> sharedIntermediateSize,
            Optional<Integer> moeSharedExpertIntermediateSize,
            Optional<Integer> shareExpertDim) {
        Optional<Integer> count() {
            return first(nSharedExperts, numSharedExperts, moeNumSharedExperts, numSharedExpert);
        }

        Optional<Integer> width() {
            return first(
                    sharedExpertIntermediateSize,
                    sharedIntermediateSize,
                    moeSharedExpertIntermediateSize,
                    shareExpertDim);
        }
    }

    /** Numbers that select the layers with experts. */
    record ExpertLayers(
            Optional<Integer> firstKDenseReplace,
            Optional<Integer> numDenseLayers,
            Optional<Integer> decoderSparseStep,
            Optional<Integer> interleaveMoeLayerStep,
            Optional<Integer> expertLayerPeriod,
            Optional<Integer> expertLayerOffset,
            Optional<Integer> moeLayerStartIndex,
            Optional<Integer> moeLayerEndIndex,
            Optional<Integer> moeLayerInterval,
            Optional<Boolean> enableMoeBlock) {}

    /** Numbers that select the attention of layers. */
    record AttentionLayers(
            Optional<Integer> slidingWindow,
            Optional<Integer> slidingWindowSize,
            Optional<Integer> attentionChunkSize,
            Optional<Boolean> useSlidingWindow,
            Optional<Integer> maxWindowLayers,
            Optional<Integer> fullAttentionInterval,
            Optional<Integer> attnLayerPeriod,
            Optional<Integer> attnLayerOffset,
            Optional<Integer> layerGroupSize,
            Optional<Integer> noRopeLayerInterval) {
        Optional<Integer> window() {
            return first(slidingWindow, slidingWindowSize).filter(tokens -> tokens > 0);
        }
    }

    /** Mamba layers. */
    record Mamba(
            Optional<Integer> mambaNumHeads,
            Optional<Integer> mambaNHeads,
            Optional<Integer> mambaHeadDim,
            Optional<Integer> mambaDHead,
            Optional<Integer> ssmStateSize,
            Optional<Integer> mambaDState,
            Optional<Integer> nGroups,
            Optional<Integer> mambaNGroups,
            Optional<Integer> mambaExpand,
            Optional<Integer> mambaDtRank) {
        Optional<Integer> heads() {
            return first(mambaNumHeads, mambaNHeads);
        }

        Optional<Integer> width() {
            return first(mambaHeadDim, mambaDHead);
        }

        Optional<Integer> state() {
            return first(ssmStateSize, mambaDState);
        }

        int groups() {
            return first(nGroups, mambaNGroups).orElse(1);
        }
    }

    /** Layers of linear attention. */
    record Linear(
            Optional<Integer> linearNumValueHeads,
            Optional<Integer> linearNumKeyHeads,
            Optional<Integer> linearValueHeadDim,
            Optional<Integer> linearKeyHeadDim) {}

    /** Sparse and compressed attention. */
    record Sparse(
            Optional<Integer> indexTopk,
            Optional<Integer> indexTopkBlocks,
            Optional<Integer> indexBlockSize,
            Optional<Integer> indexNHeads,
            Optional<Integer> indexHeadDim,
            Optional<Integer> oLoraRank,
            Optional<Integer> oGroups,
            Optional<Integer> hcMult) {}

    /** Additional embeddings and matrices. */
    record Others(
            Optional<Integer> hiddenSizePerLayerInput,
            Optional<Integer> vocabSizePerLayerInput,
            Optional<Integer> numKvSharedLayers,
            Optional<Boolean> useDoubleWideMlp,
            Optional<Integer> wordEmbedProjDim) {}

    /** Returns the first value that is present. */
    @SafeVarargs
    static <T> Optional<T> first(Optional<T>... spellings) {
        for (Optional<T> spelling : spellings) {
            if (spelling.isPresent()) {
                return spelling;
            }
        }
        return Optional.empty();
    }
}
