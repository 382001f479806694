package dev.stagesim.engine.tf;

import java.util.ArrayList;
import java.util.List;
import org.bytedeco.javacpp.PointerScope;
import org.tensorflow.internal.c_api.TF_DeviceList;
import org.tensorflow.internal.c_api.TF_Graph;
import org.tensorflow.internal.c_api.TF_Session;
import org.tensorflow.internal.c_api.TF_SessionOptions;
import org.tensorflow.internal.c_api.TF_Status;
import org.tensorflow.internal.c_api.global.tensorflow;

/** Devices of the framework. */
final class Device {
    static final String CPU = "/device:CPU:0";
    static final String GPU = "/device:GPU:0";

    private Device() {}

    /** Names of all devices that the framework can use. */
    @SuppressWarnings("resource") // The scope closes the objects created in it.
    static List<String> all() {
        List<String> names = new ArrayList<>();
        try (PointerScope scope = new PointerScope()) {
            TF_Status status = TF_Status.newStatus();
            TF_Session session =
                    TF_Session.newSession(TF_Graph.newGraph(), TF_SessionOptions.newSessionOptions(), status);
            status.throwExceptionIfNotOK();
            TF_DeviceList devices = tensorflow.TF_SessionListDevices(session, status);
            status.throwExceptionIfNotOK();
            for (int i = 0; i < tensorflow.TF_DeviceListCount(devices); i++) {
                names.add(tensorflow.TF_DeviceListName(devices, i, status).getString());
            }
            tensorflow.TF_DeleteDeviceList(devices);
        }
        return names;
    }

    /** Fails if the framework has no usable GPU. */
    static void check(String label) {
        List<String> all = all();
        if (all.stream().noneMatch(name -> name.endsWith(GPU))) {
            throw new IllegalStateException(label
                    + " needs a GPU and the framework can use none, which often means that libraries of CUDA or cuDNN"
                    + " are missing; it can use " + String.join(", ", all));
        }
    }
}
