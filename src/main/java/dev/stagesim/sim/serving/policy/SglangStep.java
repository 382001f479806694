package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.core.IntList;
import java.util.ArrayList;
import java.util.List;

/** A step of SGLang: prompts and then, where steps are mixed, decodes; or decodes alone. */
public final class SglangStep {
    private final List<SglangRequest> requests = new ArrayList<>();
    private final IntList tokens = new IntList();
    private final IntList computed = new IntList();
    private final List<SglangRequest> admitted = new ArrayList<>();
    private final IntList hits = new IntList();
    private final List<SglangRequest> retracted = new ArrayList<>();
    private int prompts;

    void addPrompt(SglangRequest request, int count, int before) {
        add(request, count, before);
        prompts++;
    }

    void addDecode(SglangRequest request) {
        add(request, 1, request.allocated);
    }

    private void add(SglangRequest request, int count, int before) {
        requests.add(request);
        tokens.add(count);
        computed.add(before);
        request.inFlight++;
    }

    /** Notes a request that came in for the first time, and how much of its prompt was cached. */
    void addAdmitted(SglangRequest request, int hit) {
        admitted.add(request);
        hits.add(hit);
    }

    /** Requests in the step. */
    public int size() {
        return requests.size();
    }

    public SglangRequest request(int at) {
        return requests.get(at);
    }

    public int tokens(int at) {
        return tokens.get(at);
    }

    /** Tokens of a request computed before this step. */
    public int computed(int at) {
        return computed.get(at);
    }

    public boolean isPrompt(int at) {
        return at < prompts;
    }

    boolean hasPrompts() {
        return prompts > 0;
    }

    /** Whether the step yields a token for a request; a part of a prompt that is not its last one does not. */
    boolean samples(int at) {
        return !isPrompt(at)
                || computed.get(at) + tokens.get(at) >= requests.get(at).known();
    }

    /** Requests that came in for the first time. */
    public List<SglangRequest> admitted() {
        return admitted;
    }

    /** Cached tokens of the request at the same place of {@link #admitted}. */
    public int hit(int at) {
        return hits.get(at);
    }

    /** Requests that lost their memory for this step, in order. */
    public List<SglangRequest> retracted() {
        return retracted;
    }

    List<SglangRequest> requests() {
        return requests;
    }
}
