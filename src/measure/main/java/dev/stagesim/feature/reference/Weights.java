package dev.stagesim.feature.reference;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Random weights of a model. They are uniform with a variance that preserves the scale of activations. Equal shapes and seeds
 * result in equal weights on every machine.
 */
final class Weights {
    /** The weights of one layer. Matrices have one row per input and one column per output. */
    record Layer(
            float[] inputNorm,
            float[][] qkv,
            float[] queryNorm,
            float[] keyNorm,
            float[][] attentionOut,
            float[] secondNorm,
            float[][] up,
            float[][] down) {}

    final float[][] embedding;
    final Layer[] layers;
    final float[] finalNorm;
    final float[][] head;

    Weights(EngineShape shape, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        embedding = matrix(shape.vocab(), shape.hidden(), 1, random);
        layers = new Layer[shape.layers()];
        for (int i = 0; i < layers.length; i++) {
            layers[i] = layer(shape, random);
        }
        finalNorm = ones(shape.hidden());
        head = shape.tied() ? transposed(embedding) : matrix(shape.hidden(), shape.vocab(), shape.hidden(), random);
    }

    private static Layer layer(EngineShape shape, SplittableRandom random) {
        int hidden = shape.hidden();
        int attention = shape.queryWidth();
        return new Layer(
                ones(hidden),
                matrix(hidden, attention + 2 * shape.kvWidth(), hidden, random),
                ones(shape.headDim()),
                ones(shape.headDim()),
                matrix(attention, hidden, attention, random),
                ones(hidden),
                matrix(hidden, shape.upWidth(), hidden, random),
                matrix(shape.ffn(), hidden, shape.ffn(), random));
    }

    private static float[] ones(int width) {
        float[] ones = new float[width];
        Arrays.fill(ones, 1);
        return ones;
    }

    private static float[][] matrix(int rows, int width, int summed, SplittableRandom random) {
        float reach = (float) Math.sqrt(3.0 / summed);
        float[][] matrix = new float[rows][width];
        for (float[] row : matrix) {
            for (int j = 0; j < width; j++) {
                row[j] = reach * (float) (2 * random.nextDouble() - 1);
            }
        }
        return matrix;
    }

    private static float[][] transposed(float[][] matrix) {
        float[][] out = new float[matrix[0].length][matrix.length];
        for (int i = 0; i < matrix.length; i++) {
            for (int j = 0; j < matrix[i].length; j++) {
                out[j][i] = matrix[i][j];
            }
        }
        return out;
    }
}
