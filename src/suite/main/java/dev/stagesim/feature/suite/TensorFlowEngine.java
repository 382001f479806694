package dev.stagesim.feature.suite;

import dev.stagesim.bench.engine.Artifact;
import dev.stagesim.bench.engine.Engine;
import java.util.List;
import java.util.stream.Stream;

/** TensorFlow for Java, the engine of the profiling suite. */
final class TensorFlowEngine {
    private static final String VERSION = "1.1.0";
    private static final String LINUX = "linux-x86_64";

    private static final List<Artifact> COMMON = List.of(
            Artifact.jar(
                    "org.tensorflow:tensorflow-core-api:1.1.0",
                    4_094_517,
                    "5763417e6c6d3e8fb3a29f19e1918c1eebc04fe35dc1ee3432d399980ec4e90a"),
            Artifact.jar(
                    "org.tensorflow:tensorflow-core-native:1.1.0",
                    4_002_973,
                    "f3da31deabc521b1ed464fb0062ee808dc7148ae53dea084bebb4fbfe1fcefe6"),
            Artifact.jar(
                    "org.tensorflow:ndarray:1.0.0",
                    303_457,
                    "8fcbd45650aa8a106f08f5e3d3e074112444919a20cf3c851652b19fbaea8e8f"),
            Artifact.jar(
                    "org.bytedeco:javacpp:1.5.11",
                    523_669,
                    "2e3cc3c5d75f06d63dfaea839c4f1abc973fb72d518186016571c7467cdf8434"),
            Artifact.jar(
                    "org.bytedeco:javacpp:1.5.11:linux-x86_64",
                    47_615,
                    "c0c12bc792a02034176122d822237cce8f36d55d1c6a402533464caa4180fcb2"),
            Artifact.jar(
                    "com.google.protobuf:protobuf-java:3.21.9",
                    1_671_409,
                    "1b78b4a76a71512debfdff8f8fc5aef6bfd459f65758fecf7aff245e6e6301e4"),
            Artifact.jar(
                    "net.java.dev.jna:jna:5.17.0",
                    2_002_589,
                    "b3a9408e7c51e08ef0e3bfcc08f443f6ec0f6191ba8cd7c18d53d2b22e5bdbc0"));

    /** CPU version. */
    static final Engine CPU = engine(
            "tf",
            "TensorFlow for Java: runs the profiling suite on the processor",
            Artifact.jar(
                    "org.tensorflow:tensorflow-core-native:1.1.0:linux-x86_64",
                    160_591_394,
                    "81b0e11290ba3b2e134901395ef59f1ae616f8ab7931f0d5c3eeb89c1b97c4e6"));

    /** GPU version; the machine provides the CUDA libraries. */
    static final Engine GPU = engine(
            "tf_gpu",
            "TensorFlow for Java: runs the profiling suite on an NVIDIA GPU",
            Artifact.jar(
                    "org.tensorflow:tensorflow-core-native:1.1.0:linux-x86_64-gpu",
                    526_493_073,
                    "9e2c48fbc444e941dc09eb998b16c8d699c8ca950d2bf09ab90871137a982826"));

    private TensorFlowEngine() {}

    private static Engine engine(String name, String doc, Artifact natives) {
        List<Artifact> jars = Stream.concat(COMMON.stream(), Stream.of(natives)).toList();
        return new Engine(name, doc, VERSION, LINUX, () -> jars);
    }
}
