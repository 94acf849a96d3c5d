// hostile: eval as an escaped name of a property
globalThis.\u0065v\u0061l("1 + 1");
