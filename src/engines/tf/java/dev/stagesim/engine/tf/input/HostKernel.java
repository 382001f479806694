package dev.stagesim.engine.tf.input;

import com.sun.jna.Callback;
import com.sun.jna.CallbackThreadInitializer;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.bytedeco.javacpp.Loader;

/**
 * A framework operation implemented in Java, registered through the framework's kernel interface: {@code
 * StagesimHostFn(value, number)} with the verb, the seed and the result type as attributes.
 */
public final class HostKernel {
    static final String OP = "StagesimHostFn";

    private static final int INTERNAL = 13;
    private static final int MAX_TEXT = 256;
    private static final int FLOAT = 1;
    private static final int INT32 = 3;
    private static final int UINT8 = 4;
    private static final int STRING = 7;
    private static final int INT64 = 9;

    /** Number of calls and total nanoseconds of the workload's host verb; generators are not counted. */
    public final AtomicLong calls = new AtomicLong();

    public final AtomicLong nanos = new AtomicLong();

    private final NativeLibrary framework;
    private final List<Verb> verbs = new CopyOnWriteArrayList<>();
    /** Prevents garbage collection of the callbacks; the framework stores only their addresses. */
    private final List<Callback> kept = new CopyOnWriteArrayList<>();

    private record Verb(String line, long seed, int type) {}

    /** Creates a kernel from its attributes. */
    interface Create extends Callback {
        Pointer create(Pointer construction);
    }

    /** Runs a kernel. */
    interface Compute extends Callback {
        void compute(Pointer kernel, Pointer context);
    }

    /** Deletes a kernel. */
    interface Delete extends Callback {
        void delete(Pointer kernel);
    }

    /** Infers the output shape: always unknown. */
    interface Shapes extends Callback {
        void infer(Pointer context, Pointer status);
    }

    private HostKernel(NativeLibrary framework) {
        this.framework = framework;
    }

    /** Registers the operation; once per process. */
    public static HostKernel register() {
        Path binding = Path.of(Loader.load(org.tensorflow.internal.c_api.global.tensorflow.class));
        Path framework = binding.resolveSibling("libtensorflow_framework.so.2");
        HostKernel made = new HostKernel(NativeLibrary.getInstance(framework.toString()));
        made.operation();
        made.kernel();
        return made;
    }

    private void operation() {
        Pointer builder = call("TF_NewOpDefinitionBuilder", OP);
        for (String attribute : List.of("Tin: type", "Tout: {float, int32}", "verb: string", "seed: int")) {
            run("TF_OpDefinitionBuilderAddAttr", builder, attribute);
        }
        run("TF_OpDefinitionBuilderAddInput", builder, "value: Tin");
        run("TF_OpDefinitionBuilderAddInput", builder, "number: int64");
        run("TF_OpDefinitionBuilderAddOutput", builder, "made: Tout");
        // The operation is stateless. A stateful one would force pipelines that must be repeatable to wait for each
        // call.
        Shapes shapes = (context, status) -> run("TF_ShapeInferenceContextSetUnknownShape", context, status);
        run("TF_OpDefinitionBuilderSetShapeInferenceFunction", builder, keep(shapes));
        Pointer status = call("TF_NewStatus");
        run("TF_RegisterOpDefinition", builder, status);
        check(status);
    }

    private void kernel() {
        Create create = this::create;
        Compute compute = this::compute;
        Delete delete = kernel -> {};
        for (Callback callback : List.of(create, compute, delete)) {
            keep(callback);
        }
        // Framework threads stay attached until the process ends.
        Native.setCallbackThreadInitializer(compute, new CallbackThreadInitializer(true, false, "host-function"));
        Pointer builder = call("TF_NewKernelBuilder", OP, "CPU", create, compute, delete);
        Pointer status = call("TF_NewStatus");
        run("TF_RegisterKernelBuilder", OP, builder, status);
        check(status);
    }

    private <T extends Callback> T keep(T callback) {
        kept.add(callback);
        return callback;
    }

    private Pointer create(Pointer construction) {
        Pointer status = call("TF_NewStatus");
        Memory line = new Memory(MAX_TEXT);
        line.clear();
        run("TF_OpKernelConstruction_GetAttrString", construction, "verb", line, (long) MAX_TEXT, status);
        Memory seed = new Memory(Long.BYTES);
        run("TF_OpKernelConstruction_GetAttrInt64", construction, "seed", seed, status);
        Memory type = new Memory(Integer.BYTES);
        run("TF_OpKernelConstruction_GetAttrType", construction, "Tout", type, status);
        run("TF_DeleteStatus", status);
        verbs.add(new Verb(line.getString(0, "UTF-8"), seed.getLong(0), type.getInt(0)));
        return new Pointer(verbs.size());
    }

    private void compute(Pointer kernel, Pointer context) {
        Pointer status = call("TF_NewStatus");
        try {
            Verb verb = verbs.get((int) Pointer.nativeValue(kernel) - 1);
            long begin = System.nanoTime();
            HostSample value = value(input(context, 0, status));
            Pointer at = input(context, 1, status);
            long number = call("TF_TensorData", at).getLong(0);
            run("TF_DeleteTensor", at);
            HostVerbs.apply(value, verb.line.split(" "), verb.seed, number);
            output(context, value, verb.type, status);
            if (!HostVerbs.isGenerator(verb.line)) {
                calls.incrementAndGet();
                nanos.addAndGet(System.nanoTime() - begin);
            }
        } catch (RuntimeException failure) {
            run("TF_SetStatus", status, INTERNAL, "host function: " + failure);
            run("TF_OpKernelContext_Failure", context, status);
        } finally {
            run("TF_DeleteStatus", status);
        }
    }

    private Pointer input(Pointer context, int index, Pointer status) {
        PointerByReference found = new PointerByReference();
        run("TF_GetInput", context, index, found, status);
        check(status);
        return found.getValue();
    }

    private HostSample value(Pointer tensor) {
        int[] sizes = new int[framework.getFunction("TF_NumDims").invokeInt(new Object[] {tensor})];
        int count = 1;
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = (int) framework.getFunction("TF_Dim").invokeLong(new Object[] {tensor, i});
            count *= sizes[i];
        }
        int type = framework.getFunction("TF_TensorType").invokeInt(new Object[] {tensor});
        Pointer data = call("TF_TensorData", tensor);
        float[] values = count == 0 && type != STRING ? new float[0] : values(data, type, count);
        run("TF_DeleteTensor", tensor);
        return new HostSample(values, type == STRING ? new int[] {values.length} : sizes);
    }

    private static float[] values(Pointer data, int type, int count) {
        if (type == FLOAT) {
            return data.getFloatArray(0, count);
        }
        float[] values = new float[count];
        switch (type) {
            case INT32 -> {
                int[] found = data.getIntArray(0, count);
                for (int i = 0; i < count; i++) {
                    values[i] = found[i];
                }
            }
            case INT64 -> {
                long[] found = data.getLongArray(0, count);
                for (int i = 0; i < count; i++) {
                    values[i] = found[i];
                }
            }
            case UINT8 -> values = unsigned(data.getByteArray(0, count));
            case STRING -> values = unsigned(bytes(data));
            default -> throw new IllegalArgumentException("a value of type " + type);
        }
        return values;
    }

    private static float[] unsigned(byte[] bytes) {
        float[] values = new float[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            values[i] = bytes[i] & 0xff;
        }
        return values;
    }

    /**
     * Reads a framework string: up to 22 bytes are stored inline after the length, longer strings elsewhere; the two
     * lowest bits distinguish the formats.
     */
    private static byte[] bytes(Pointer text) {
        int kind = text.getByte(0) & 3;
        if (kind == 0) {
            return text.getByteArray(1, (text.getByte(0) & 0xff) >> 2);
        }
        if (kind == 2) {
            return text.getByteArray(text.getInt(4) & 0xffffffffL, text.getInt(0) >>> 2);
        }
        Pointer data = text.getPointer(kind == 1 ? 16 : 8);
        return data.getByteArray(0, Math.toIntExact(text.getLong(0) >>> 2));
    }

    private void output(Pointer context, HostSample value, int type, Pointer status) {
        int rank = value.sizes.length;
        Memory sizes = new Memory(Math.max(1, rank) * (long) Long.BYTES);
        for (int i = 0; i < rank; i++) {
            sizes.setLong(i * (long) Long.BYTES, value.sizes[i]);
        }
        long size = value.data.length * (long) Float.BYTES;
        Pointer made = call("TF_AllocateOutput", context, 0, type, sizes, rank, size, status);
        check(status);
        if (size > 0) {
            Pointer data = call("TF_TensorData", made);
            if (type == FLOAT) {
                data.write(0, value.data, 0, value.data.length);
            } else {
                int[] whole = new int[value.data.length];
                for (int i = 0; i < whole.length; i++) {
                    whole[i] = Math.round(value.data[i]);
                }
                data.write(0, whole, 0, whole.length);
            }
        }
        run("TF_DeleteTensor", made);
    }

    private void check(Pointer status) {
        if (framework.getFunction("TF_GetCode").invokeInt(new Object[] {status}) != 0) {
            throw new IllegalStateException(call("TF_Message", status).getString(0, StandardCharsets.UTF_8.name()));
        }
    }

    private Pointer call(String name, Object... arguments) {
        return framework.getFunction(name).invokePointer(arguments);
    }

    private void run(String name, Object... arguments) {
        framework.getFunction(name).invokeVoid(arguments);
    }
}
