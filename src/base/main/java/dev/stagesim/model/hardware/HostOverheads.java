package dev.stagesim.model.hardware;

import dev.stagesim.model.Key;

/** Host times of steps and requests, and the sampler. */
public record HostOverheads(
        @Key("Host time per step: scheduling, preparation, output. | 0 | us | 0..1000000000") double stepUs,
        @Key("Host time per step and sequence. | 0 | us | 0..1000000000") double sequenceUs,
        @Key("Additional host time of a step on several devices. | 0 | us | 0..1000000000") double parallelUs,
        @Key(
                        "Additional host time of a step for each device after the first, if the host addresses devices sequentially."
                                + " | 0 | us | 0..1000000000")
                double workerUs,
        @Key(
                        "Time from a request's arrival until it can be scheduled: HTTP, tokenization, admission. | 0 | us | 0..1000000000")
                double requestUs,
        @Key("Additional time per prompt token, if the server receives text and tokenizes it."
                        + " | 0 | us | 0..1000000000")
                double promptTokenUs,
        @Key("Time per logit to sample a token by sorting; 0 if kernels do not sort. | 0 | ns | 0..1000")
                double samplerNs) {}
