package dev.stagesim.feature.cluster;

import java.util.ArrayDeque;

/** The instances of one role behind their router, and the requests that wait until one of them is open. */
final class Front {
    private final int base;
    private final Router router;
    private final Members members;
    private final ArrayDeque<Integer> held = new ArrayDeque<>();

    /** Numbers of its instances begin with {@code base}. */
    Front(int base, Router router, Members members) {
        this.base = base;
        this.router = router;
        this.members = members;
    }

    /** How many instances are open. */
    int open() {
        return members.count();
    }

    /** Requests that wait here. */
    ArrayDeque<Integer> held() {
        return held;
    }

    /** Chooses the instance of a request. */
    int send(int request, boolean hasPrompt) {
        int chosen = router.choose(request, hasPrompt);
        router.sent(request, chosen, hasPrompt);
        return base + chosen;
    }

    void prompted(int request, int instance) {
        router.prompted(request, instance - base);
    }

    void done(int request, int instance, boolean hasOutput) {
        router.done(request, instance - base, hasOutput);
    }

    void open(int instance) {
        members.open(instance - base);
        router.opened(instance - base);
    }

    void close(int instance) {
        members.close(instance - base);
        router.closed(instance - base);
    }
}
