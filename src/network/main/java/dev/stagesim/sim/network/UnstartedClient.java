package dev.stagesim.sim.network;

/** Client of a network before the run starts: every callback is an error. */
public final class UnstartedClient implements NetworkClient {

    @Override
    public void event(long event) {
        throw tooEarly();
    }

    @Override
    public void sent(int handle) {
        throw tooEarly();
    }

    @Override
    public void received(int handle) {
        throw tooEarly();
    }

    private static IllegalStateException tooEarly() {
        return new IllegalStateException("the run has not started");
    }
}
