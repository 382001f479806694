package dev.stagesim.verify.vidur;

import dev.stagesim.sim.serving.spec.ModelShape;
import java.util.Map;

/** Models and devices of the reference simulator, by name. */
final class VidurSkus {
    private static final Map<String, ModelShape> MODELS = Map.ofEntries(
            Map.entry("codellama/CodeLlama-34b-Instruct-hf", llama(48, 64, 8, 8192, 22016)),
            Map.entry("meta-llama/Llama-2-7b-hf", llama(32, 32, 32, 4096, 11008)),
            Map.entry("meta-llama/Llama-2-70b-hf", llama(80, 64, 8, 8192, 28672)),
            Map.entry("meta-llama/Meta-Llama-3-8B", llama(32, 32, 8, 4096, 14336)),
            Map.entry("meta-llama/Meta-Llama-3-70B", llama(80, 64, 8, 8192, 28672)),
            Map.entry("microsoft/phi-2", ModelShape.evenHeads(32, 32, 32, 2560, 10240, false, false)),
            Map.entry("internlm/internlm-20b", llama(60, 40, 40, 5120, 13824)),
            Map.entry("internlm/internlm2-20b", llama(48, 48, 8, 6144, 16384)),
            Map.entry("Qwen/Qwen-72B", llama(80, 64, 64, 8192, 24576)),
            Map.entry("Qwen/Qwen-2-7B", llama(28, 28, 4, 3584, 18944)));

    private static final Map<String, Device> DEVICES = Map.of(
            "a40", new Device(150, 45),
            "a100", new Device(312, 80),
            "h100", new Device(1000, 80),
            "a30", new Device(165, 24));

    /** Half-precision peak in TFLOP/s and memory in GiB. */
    record Device(double tflops, double memoryGib) {}

    private VidurSkus() {}

    static ModelShape model(String name) {
        return known(MODELS, "model", name);
    }

    static Device device(String name) {
        return known(DEVICES, "device", name);
    }

    private static <T> T known(Map<String, T> all, String what, String name) {
        T found = all.get(name);
        if (found == null) {
            throw new IllegalArgumentException("unknown " + what + " " + name);
        }
        return found;
    }

    private static ModelShape llama(int layers, int q, int kv, int embedding, int mlp) {
        return ModelShape.evenHeads(layers, q, kv, embedding, mlp, true, true);
    }
}
